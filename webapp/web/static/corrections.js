// What people put right: what was thought before, what holds now, and the way back.

import { undoOf } from "./correct.js";
import { button, element } from "./elements.js";
import { eventText } from "./event_text.js";
import { word } from "./words.js";

// One correction as nodes: what was thought before, struck out, and what happened.
export function beforeAndAfter({ about, was, now }) {
  if (about === null) return [element("b", {}, word("correction_table"))];
  const [before, after] = [was ? eventText(was) : word("correction_nothing"), now ? eventText(now) : word("sheet_nothing")];
  if (before === after) return [element("b", {}, after), ` · ${word("sheet_as_seen")}`];
  return [element("s", {}, before), document.dir === "rtl" ? " ← " : " → ", element("b", {}, after)];
}

export const changeText = (correction) => beforeAndAfter(correction).map((part) => part.textContent ?? part).join("");

// The button that takes a correction back; null for who only watches.
export function undoButton({ line }, sheet) {
  return sheet?.mayCorrect ? button(word("sheet_undo"), () => sheet.send(undoOf(line)), { class: "quiet undo" }) : null;
}

// The button that takes a statement back: it did not happen.
export function takeBackButton(line, sheet) {
  return sheet?.mayCorrect ? button(word("sheet_undo"), () => sheet.send({ line, to: null }), { class: "quiet undo" }) : null;
}
