// What belongs to the chosen event: the cards known to be in hands, and why something was called.

import { answerButtons } from "../matters.js";
import { cardFace, writtenCard } from "../cards.js";
import { crop } from "../crop.js";
import { element, show } from "../elements.js";
import { reasons } from "../why.js";
import { listed, named, word } from "../words.js";

// What everybody knew of a hand, what later plays prove of it, and what the two say of a take.
export function showKnown(place, { state, later = {}, take }) {
  show(place, ...hands("review_known", state.known ?? {}), ...hands("review_later", later), take ? element("p", { class: "take-proof" }, takeLine(take)) : null);
}

function hands(key, held) {
  return Object.entries(held)
    .filter(([, cards]) => cards.length)
    .map(([who, cards]) => element("div", { class: `hand-known ${key}` }, element("span", {}, word(key, { who })), element("span", { class: "cards" }, ...cards.map((card) => cardFace(card)))));
}

function takeLine({ seat: who, could, could_not: without }) {
  if (without) return word("take_could_not", { who, cards: named(writtenCard, ...without) });
  const pairs = could.map(([attack, defence]) => word("take_pair", { attack: named(writtenCard, attack), defence: named(writtenCard, defence) }));
  return word("take_could", { who, pairs: listed(pairs) });
}

// `sheet`: answers questions; null where nothing is kept.
// `more`: what else is said of the play, null for nothing.
export function showWhy(place, calls, sheet, more) {
  const shown = calls.filter(({ ruling }) => ruling && ruling !== "legal");
  show(
    place,
    more,
    ...shown.map((call) =>
      element(
        "details",
        { open: !call.note, "data-tone": call.note ? "note" : call.ruling },
        element("summary", {}, call.text),
        sheet ? crop(sheet.base, call.line) : null,
        sheet && call.answers ? element("p", { class: "answers" }, ...answerButtons(call, sheet)) : null,
        ...reasons(call),
      ),
    ),
  );
}
