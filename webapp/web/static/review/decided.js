// A decision in the reader's language; cards stay as they are written.

import { word } from "../words.js";

const WORDS = { take: "analysis_take", pass: "analysis_pass", wait: "analysis_wait" };

export function decided(text) {
  if (text in WORDS) return word(WORDS[text]);
  if (text.includes(" over ")) return text.replace(" over ", " → ");
  const [kind, card] = text.split(" ");
  if (kind === "transfer" || kind === "show") return word(`analysis_${kind}`, { card });
  return text;
}

// The cards that a decision lays or shows.
export const cardsOf = (text) => (text in WORDS ? [] : text.split(" over ")[0].split(" ").filter((each) => each !== "transfer" && each !== "show"));
