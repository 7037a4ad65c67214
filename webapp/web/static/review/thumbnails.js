// Pictures from the film under the time line, one for each bout, or each few where there are many.

import { element } from "../elements.js";
import { word } from "../words.js";
import { boutsOf } from "./time_axis.js";

const MOST = 12; // pictures: more would be too small to recognise anything
const LATER_S = 0.4; // after the first card of the bout, which lies there then

export function drawThumbnails(place, base, steps, onPlace) {
  const bouts = boutsOf(steps);
  const every = Math.ceil(bouts.length / MOST) || 1;
  const shown = bouts.filter((_, number) => number % every === 0);
  place.hidden = shown.length === 0;
  place.replaceChildren(
    ...shown.map(({ number, from, first }) => {
      const picture = element("img", { src: `${base}/picture.jpg?at=${(from + LATER_S).toFixed(2)}`, alt: "", loading: "lazy" });
      const tile = element("button", { type: "button", class: "thumbnail", onclick: () => onPlace(first) }, picture, element("span", {}, word("review_bout", { n: number })));
      picture.addEventListener("error", () => picture.remove());
      return tile;
    }),
  );
}
