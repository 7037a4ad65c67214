// The card of a line as the camera saw it, where a picture of it was kept; else nothing is shown.

import { element } from "./elements.js";
import { word } from "./words.js";

// `base`: `/api` for the game that goes on, `/api/matches/ID` for a kept one.
export function crop(base, line) {
  const image = element("img", { class: "crop", src: `${base}/crop.jpg?line=${line}`, alt: word("crop_alt"), hidden: true });
  image.addEventListener("load", () => (image.hidden = false));
  return image;
}
