// One line for whatever stands between people and the referee: the newest trouble of the most important kind.

import { whyNot } from "./refusal.js";
import { word } from "./words.js";

const KINDS = ["connection", "press", "camera", "warnings"];
const troubles = new Map();

// `text`: null where there is no trouble of this kind any more.
export function notice(kind, text, ...more) {
  if (text === null) troubles.delete(kind);
  else troubles.set(kind, [text, ...more]);
  const place = document.getElementById("notice");
  const line = troubles.get(KINDS.find((each) => troubles.has(each))) ?? [""];
  if (more.length || place.textContent !== line[0]) place.replaceChildren(...line);
  place.hidden = troubles.size === 0;
}

// Says why what was sent was refused, if it was; gives back whether it was taken.
export async function isTaken(answer) {
  if (!answer) showConnection(false);
  else notice("press", answer.ok ? null : word("press_failed", { why: await whyNot(answer) }));
  return Boolean(answer?.ok);
}

export function showConnection(connected) {
  document.body.classList.toggle("disconnected", !connected);
  notice("connection", connected ? null : word("disconnected"));
}
