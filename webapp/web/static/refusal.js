// Why the program refused, in its sentence for players; `error`, for those who call it, is in English.

import { word } from "./words.js";

export async function whyNot(answer) {
  const { text } = await answer.json().catch(() => ({})); // whatever stands between may answer in a language of its own
  return text ?? word("refused_500");
}
