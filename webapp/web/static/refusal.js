// Why the program refused: the reason in the page's language, then the program's own sentence, which is English.

import { word } from "./words.js";

const REASONS = new Set([400, 403, 404, 409, 503, 507]);

export function refusalText(status, sentence) {
  const reason = word(`refused_${REASONS.has(status) ? status : 500}`);
  return sentence ? `${reason} (\u2066${sentence}\u2069)` : reason;
}

// Of an answer that is a refusal.
export async function whyNot(answer) {
  const refused = await answer.json().catch(() => ({})); // whatever stands between may answer in a language of its own
  return refusalText(answer.status, refused.error);
}
