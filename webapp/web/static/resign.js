// A player gives the deal up: asked who it is first, since everybody at the table uses this page.

import { button, element } from "./elements.js";
import { word } from "./words.js";

// `players`: who can give up now.
export function askWhoResigns(players, press) {
  const dialog = element("dialog", { class: "sheet", "aria-label": word("resign_who") });
  const resign = (by) => () => {
    dialog.close();
    press({ button: "resign", by });
  };
  const close = button("✕", () => dialog.close(), { class: "quiet", "aria-label": word("sheet_close") });
  const choices = players.map((seat) => button(seat, resign(seat), { class: "plain-choice" }));
  dialog.append(element("div", {}, element("header", {}, element("h2", {}, word("resign_who")), close), element("p", { class: "why" }, word("resign_why")), element("div", { class: "choices" }, ...choices)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
