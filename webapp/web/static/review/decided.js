// A decision in the reader's language, cards as people write them.

import { cardText, writtenCard } from "../cards.js";
import { capital, named, word } from "../words.js";

const WORDS = { take: "analysis_take", pass: "analysis_pass", wait: "analysis_wait" };

const withCards = (text) => text.replace(/\b[2-9TJQKA][shdc]\b/g, cardText);

export function decided(text) {
  if (text in WORDS) return word(WORDS[text]);
  if (text.includes(" over ")) return withCards(text.replace(" over ", " → "));
  const [kind, card] = text.split(" ");
  if (kind === "transfer" || kind === "show") return word(`analysis_${kind}`, { card: named(writtenCard, card) });
  return withCards(text);
}

// Why a decision was worse or better, as a sentence.
export function whySentence({ id, who, ...cards }) {
  const written = Object.entries(cards).map(([key, text]) => [key, named(writtenCard, ...text.split(" "))]);
  const sentence = word(`analysis_why_${id}`, { who, ...Object.fromEntries(written) });
  return sentence.startsWith(who) ? sentence : capital(sentence);
}

// The cards that a decision lays or shows.
export const cardsOf = (text) => (text in WORDS ? [] : text.split(" over ")[0].split(" ").filter((each) => each !== "transfer" && each !== "show"));
