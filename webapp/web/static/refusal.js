// Asking the program for something, and why it refused: in its sentence for players; `error`, for those who call it, is in English.

import { word } from "./words.js";

// A request that sends values as JSON.
export const asJson = (values) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values) });

// Sends values as JSON. Gives back the answer, null where none came.
export const post = (address, values = {}) => fetch(address, asJson(values)).catch(() => null);

// What the program answers, else {error}: why there is none.
export async function ask(address, how) {
  const answer = await fetch(address, how).catch(() => null);
  return answer?.ok ? answer.json().catch(() => ({ error: word("disconnected") })) : { error: await whyNot(answer) };
}

export async function whyNot(answer) {
  if (!answer) return word("disconnected");
  const { text } = await answer.json().catch(() => ({})); // whatever stands between may answer in a language of its own
  return text ?? word("refused_500");
}
