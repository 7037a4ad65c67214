// Open matters: what has to be put right or be let stand.

import { cardFace, cardText } from "./cards.js";
import { crop } from "./crop.js";
import { button, element, show } from "./elements.js";
import { showsMatters } from "./tone.js";
import { counted, listed, word } from "./words.js";

function overlaps(call, matter) {
  return matter.cards.length === 0 || (call.cards ?? []).some((card) => matter.cards.includes(card));
}

function opened(call, matter) {
  // A call that names nobody opened a matter under the seat it most likely was.
  return call.fault === matter.fault && [undefined, null, matter.by].includes(call.by) && overlaps(call, matter);
}

function isAsked({ question }, call) {
  return question && (question.of ?? question.line) === (call.of ?? call.line) && call.ruling === "unclear";
}

// What players can do about a call: a hint, and buttons. Null where there is nothing to do. `ways`: what a tap may do,
// {press, sheet}.
export function remedy(snapshot, call, ways) {
  const { open } = snapshot.state;
  if (isAsked(snapshot, call)) return null; // the question says what to do
  const matter = open.findLast((each) => opened(call, each));
  return matter ? { matter, hint: hintFor(matter.cards), answers: answersTo(open, matter, call, ways) } : null;
}

function hintFor(cards) {
  return cards.length ? word("lift_it", { card: listed(cards.map(cardText)) }) : word("put_right");
}

// Let it stand, or say that the referee is wrong: one of the two is always there.
function answersTo(open, matter, call, { press, sheet }) {
  const wrong = button(word("referee_wrong"), () => (call ? sheet.line(call.of ?? call.line, call.text) : sheet.lines()), { class: "wrong" });
  // `forgive` takes the matter with the card named, or the newest one: a matter without cards has to wait its turn.
  if (matter.cards.length === 0 && matter !== open.at(-1)) return [wrong];
  const label = word(matter.ruling === "illegal" ? "forgive" : "right_as_is");
  const which = matter.cards.length ? { card: matter.cards[0] } : {};
  return [button(label, () => press({ button: "forgive", ...which })), wrong];
}

// The matters that the call in large type does not speak of itself.
export function renderMatters(place, snapshot, ways, said) {
  const { open } = snapshot.state;
  const asked = (matter) => snapshot.question && opened(snapshot.question, matter);
  const rest = showsMatters(snapshot) ? open.filter((matter) => matter !== said && !asked(matter)) : [];
  place.hidden = rest.length === 0;
  const title = counted("matters", rest.length);
  show(place, element("h2", {}, title), element("ul", {}, ...rest.map((matter) => item(snapshot, matter, ways))));
}

function item(snapshot, matter, ways) {
  const call = snapshot.calls.findLast((each) => opened(each, matter)); // what opened a matter says it best
  return element(
    "li",
    { "data-tone": matter.ruling },
    element("span", { class: "shown" }, ...matter.cards.slice(0, 2).map((card) => cardFace(card))),
    call ? crop(ways.sheet.base, call.of ?? call.line) : null,
    element("p", {}, call ? call.text : hintFor(matter.cards)),
    element("span", { class: "answers" }, ...answersTo(snapshot.state.open, matter, call, ways)),
  );
}
