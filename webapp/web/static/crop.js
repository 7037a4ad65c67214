// The card of a line as the camera saw it, where a picture of it was kept; else nothing is shown.

import { element } from "./elements.js";
import { word } from "./words.js";

// `base`: `/api` for the game that goes on, `/api/matches/ID` for a kept one.
// `orTable`: where no picture of the card was kept, the table as it is now is shown instead.
export function crop(base, line, orTable = false) {
  const image = element("img", { class: "crop", src: `${base}/crop.jpg?line=${line}`, alt: word("crop_alt"), hidden: true });
  image.addEventListener("load", () => (image.hidden = false));
  if (orTable) image.addEventListener("error", () => Object.assign(image, { src: "/api/picture.jpg", alt: word("live_picture") }), { once: true });
  return image;
}
