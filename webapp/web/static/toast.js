// One sentence at the bottom of the page about what was just done, for ten seconds, with the way back where there is one.

import { button, element } from "./elements.js";
import { word } from "./words.js";

const SHOWN_MS = 10000;
const place = element("div", { class: "put-right", role: "status", hidden: true });
document.body.append(place);
let hiding = 0;

export function toast(text, undo = null) {
  clearTimeout(hiding);
  const takeBack = () => {
    place.hidden = true;
    undo();
  };
  place.replaceChildren(element("span", {}, text), undo ? button(word("sheet_undo"), takeBack) : "");
  place.hidden = false;
  hiding = setTimeout(() => (place.hidden = true), SHOWN_MS);
}
