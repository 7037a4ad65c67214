// What people can decide now: the question, and open faults that have to be put right or be let stand. The server says which
// answers there are.

import { cardFace, writtenCard } from "./cards.js";
import { crop } from "./crop.js";
import { button, element, show } from "./elements.js";
import { cardName, counted, named, word } from "./words.js";

const LABELS = {
  as_seen: "sheet_as_seen",
  agreed: "was_agreed",
  not_agreed: "not_agreed",
  forgive: "forgive",
  was_right: "right_as_is",
  dismiss: "leave_it",
};

function label({ answer, card }) {
  return answer === "card" ? word("it_is", { card: named(cardName, card) }) : word(LABELS[answer]);
}

// These settle a matter as it is, so that "Leave it" beside them would say the same.
const SETTLES = new Set(["as_seen", "forgive", "was_right"]);

// Its answers, "The referee is wrong", and last "Leave it" where nothing else settles it; none for who only watches.
export function answerButtons({ line, text, answers }, sheet) {
  if (!sheet.mayCorrect) return [];
  const wrong = button(word("referee_wrong"), () => sheet.line(line, text), { class: "wrong" });
  const isSettled = answers.some((each) => SETTLES.has(each.answer));
  const offered = answers.filter((each) => !isSettled || each.answer !== "dismiss");
  const made = offered.map((each) => button(label(each), () => sheet.answer(line, each), each.answer === "dismiss" ? { class: "quiet leave" } : {}));
  return isSettled ? [...made, wrong] : [...made.slice(0, -1), wrong, ...made.slice(-1)];
}

// `called`: the line of which the call in large type speaks: where it asks itself, only the answers stand here.
export function renderQuestion(place, snapshot, sheet, called) {
  const question = snapshot.matters.find(({ aloud, question }) => aloud && question);
  place.hidden = !question;
  if (place.hidden) return;
  place.classList.toggle("called", called === question.line);
  const title = element("h2", {}, word("unclear"));
  const picture = crop(sheet.base, question.line, true);
  show(place, picture, title, element("p", {}, question.text), element("span", { class: "answers" }, ...answerButtons(question, sheet)));
}

const faults = (snapshot) => snapshot.matters.filter(({ aloud, question }) => aloud && !question);

// What players can do about a call: {matter, hint, answers}; null where nothing is to do, or the question says what.
// `sheet`: null on a page that shows no answers.
export function remedy(snapshot, call, sheet) {
  const matter = !sheet ? null : faults(snapshot).find(({ line }) => line === (call.of ?? call.line));
  return matter && call.ruling ? { matter, hint: hintFor(matter), answers: answerButtons(matter, sheet) } : null;
}

function hintFor({ ruling, cards }) {
  if (ruling === "impossible") return word("read_wrongly", { button: word("referee_wrong") });
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
