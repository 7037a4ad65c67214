// Why the program refused, in a sentence for players; `error`, the program's own sentence, is for those who call it.

import { word } from "./words.js";

const REASONS = new Set([400, 403, 404, 409, 503, 507]);

// Of an answer that is a refusal. `wrong`: the sentence where what was sent is wrong, as a word of the page.
export async function whyNot(answer, wrong = "refused_400") {
  const { text } = await answer.json().catch(() => ({})); // whatever stands between may answer in a language of its own
  if (text) return text;
  return word(answer.status === 400 ? wrong : `refused_${REASONS.has(answer.status) ? answer.status : 500}`);
}
