// Open matters: what has to be put right or be let stand, and questions that only the players can answer.

import { cardFace } from "./cards.js";
import { button, element, show } from "./elements.js";
import { showsMatters } from "./tone.js";
import { cardName, listed, word } from "./words.js";

const answered = new Set(); // lines whose question was answered on this page
const refused = new Set(); // lines of plays that were not agreed to: they are put right at the table

function overlaps(call, matter) {
  return matter.cards.length === 0 || (call.cards ?? []).some((card) => matter.cards.includes(card));
}

function opened(call, matter) {
  // A call that names nobody opened a matter under the seat it most likely was.
  return call.fault === matter.fault && [undefined, null, matter.by].includes(call.by) && overlaps(call, matter);
}

// What players can do about a call: a hint, and buttons. Null where there is nothing to do.
export function remedy(snapshot, call, press, again) {
  const { open, out } = snapshot.state;
  const matter = open.findLast((each) => opened(call, each));
  if (matter) return { matter, hint: hintFor(matter.cards), answers: matterAnswers(open, matter, press) };
  if (call.ruling !== "unclear" || answered.has(call.line)) return null;
  const settle = (...statements) => () => {
    answered.add(call.line);
    again();
    return inTurn(press, statements);
  };
  const question = call.question ?? {};
  if (question.ask === "card") {
    const settled = (card) => settle({ event: "reread", was: question.card, card });
    const cards = [...new Set(question.cards ?? [question.card])];
    const choices = cards.map((card) => button(word("it_is", { card: cardName(card) }), settled(card)));
    // A card that was claimed lies on no table: whoever claimed it says what it was.
    return { hint: word("which_card"), answers: call.play === "claim" ? [] : choices };
  }
  if (question.ask === "who" && call.cards?.length) {
    const seats = (call.question.seats ?? snapshot.seats).filter((seat) => !out.includes(seat));
    const card = question.card ?? call.cards[0];
    const choices = seats.map((seat) => button(seat, settle({ button: "assign", card, to: seat })));
    return { hint: word("who_laid", { card: cardName(card) }), answers: choices };
  }
  if (question.ask !== "leave") return null; // a note: nothing is asked
  const asked = question.seats ?? [question.seat];
  if (refused.has(call.line)) return { hint: hintFor(call.cards ?? []), answers: [] };
  const refuse = () => {
    refused.add(call.line);
    again();
    return inTurn(press, asked.map((by) => ({ button: "wait", by })));
  };
  return { hint: null, answers: [button(word("was_agreed"), settle(...agreed(call, asked))), button(word("not_agreed"), refuse)] };
}

async function inTurn(press, statements) {
  for (const statement of statements) await press(statement);
}

// What was said at the table if it was agreed: that the attack was over, or that somebody might come first.
function agreed(call, asked) {
  if (call.play === "sweep") return [{ button: "done" }];
  return asked.map((by) => (call.by ? { button: "allow", by, for: call.by } : { button: "pass", by }));
}

function hintFor(cards) {
  return cards.length ? word("lift_it", { card: listed(cards.map(cardName)) }) : word("put_right");
}

function matterAnswers(open, matter, press) {
  // `forgive` takes the matter with the card named, or the newest one: a matter without cards has to wait its turn.
  if (matter.cards.length === 0 && matter !== open.at(-1)) return [];
  const label = word(matter.ruling === "illegal" ? "forgive" : "right_as_is");
  const which = matter.cards.length ? { card: matter.cards[0] } : {};
  return [button(label, () => press({ button: "forgive", ...which }))];
}

// The matters that the call in large type does not speak of itself.
export function renderMatters(place, snapshot, press, said) {
  const { open } = snapshot.state;
  const rest = showsMatters(snapshot) ? open.filter((matter) => matter !== said) : [];
  place.hidden = rest.length === 0;
  const title = rest.length === 1 ? word("open_one") : word("open_many", { n: rest.length });
  show(place, element("h2", {}, title), element("ul", {}, ...rest.map((matter) => item(snapshot, matter, press))));
}

function item(snapshot, matter, press) {
  const call = snapshot.calls.findLast((each) => opened(each, matter)); // what opened a matter says it best
  return element(
    "li",
    { "data-tone": matter.ruling },
    element("span", { class: "shown" }, ...matter.cards.slice(0, 2).map((card) => cardFace(card))),
    element("p", {}, call ? call.text : hintFor(matter.cards)),
    element("span", { class: "answers" }, ...matterAnswers(snapshot.state.open, matter, press)),
  );
}
