// A player gives the deal up: asked who it is first, since everybody at the table uses this page.

import { drawDialog, newDialog } from "./dialog.js";
import { button, element } from "./elements.js";
import { word } from "./words.js";

const dialog = newDialog(word("resign_who"));

// `players`: who can give up now.
export function askWhoResigns(players, press) {
  const resign = (by) => () => {
    dialog.close();
    press({ button: "resign", by });
  };
  const choices = players.map((seat) => button(seat, resign(seat), { class: "plain-choice" }));
  drawDialog(dialog, word("resign_who"), element("p", { class: "why" }, word("resign_why")), element("div", { class: "choices" }, ...choices));
}
