// The dialogs of all pages.

import { button, element } from "./elements.js";
import { word } from "./words.js";

export function newDialog(label) {
  const dialog = element("dialog", { class: "sheet", "aria-label": label });
  document.body.append(dialog);
  return dialog;
}

// Shows a title with a button that closes, and below it what there is to choose.
export function drawDialog(dialog, title, ...parts) {
  const close = button("✕", () => dialog.close(), { class: "quiet", "aria-label": word("sheet_close") });
  dialog.replaceChildren(element("div", {}, element("header", {}, element("h2", {}, title), close), ...parts));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}
