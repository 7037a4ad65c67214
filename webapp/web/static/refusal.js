// Asking the program for something, and why it refused: in its sentence for players; `error`, for those who call it, is in English.

import { word } from "./words.js";

// Sends values as JSON. Gives back the answer, null where none came.
export const post = (address, values = {}) =>
  fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values) }).catch(() => null);

export async function whyNot(answer) {
  if (!answer) return word("disconnected");
  const { text } = await answer.json().catch(() => ({})); // whatever stands between may answer in a language of its own
  return text ?? word("refused_500");
}
