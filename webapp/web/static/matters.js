// Open faults: what has to be put right or be let stand.

import { answerButtons } from "./answers.js";
import { cardFace, writtenCard } from "./cards.js";
import { crop } from "./crop.js";
import { element, show } from "./elements.js";
import { counted, named, word } from "./words.js";

const faults = (snapshot) => snapshot.matters.filter(({ aloud, question }) => aloud && !question);

// What players can do about a call: {matter, hint, answers}; null where nothing is to do, or the question says what.
// `sheet`: null on a page that shows no answers.
export function remedy(snapshot, call, sheet) {
  const matter = !sheet ? null : faults(snapshot).find(({ line }) => line === (call.of ?? call.line));
  return matter && call.ruling ? { matter, hint: hintFor(matter.cards), answers: answerButtons(matter, sheet) } : null;
}

function hintFor(cards) {
  return cards.length ? word("lift_it", { card: named(writtenCard, ...cards) }) : word("put_right");
}

// The faults of which the call in large type does not speak itself.
export function renderMatters(place, snapshot, sheet, said) {
  const rest = faults(snapshot).filter(({ line }) => line !== said?.line);
  place.hidden = rest.length === 0;
  const title = counted("matters", rest.length);
  show(place, element("h2", {}, title), element("ul", {}, ...rest.map((matter) => item(matter, sheet))));
}

function item(matter, sheet) {
  return element(
    "li",
    { "data-tone": matter.ruling },
    element("span", { class: "shown" }, ...matter.cards.slice(0, 2).map((card) => cardFace(card))),
    crop(sheet.base, matter.line, true),
    element("p", {}, matter.text),
    element("span", { class: "answers" }, ...answerButtons(matter, sheet)),
  );
}
