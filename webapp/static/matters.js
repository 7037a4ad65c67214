// Open matters: what has to be put right, or be let stand, and questions that only the players can answer.

import { cardFace } from "./cards.js";
import { button, element, show } from "./elements.js";
import { cardName, word } from "./words.js";

const answered = new Set(); // questions this page has seen answered, by the line that asked

export function renderMatters(place, snapshot, press) {
  const matters = snapshot.state.open.map((matter, index) => openMatter(snapshot, matter, index, press));
  const question = newestQuestion(snapshot);
  if (question) matters.push(askedMatter(snapshot, question, press, () => renderMatters(place, snapshot, press)));
  place.hidden = matters.length === 0;
  const title = matters.length === 1 ? word("open_one") : word("open_many", { n: matters.length });
  show(place, element("h2", {}, title), element("ul", {}, ...matters));
}

// The call that opened a matter says it best.
function words(snapshot, matter) {
  const call = snapshot.calls.findLast(
    (each) => each.fault === matter.fault && (each.by ?? null) === (matter.by ?? null) && overlaps(each, matter),
  );
  return call ? call.text : matter.fault;
}

function overlaps(call, matter) {
  return matter.cards.length === 0 || (call.cards ?? []).some((card) => matter.cards.includes(card));
}

function openMatter(snapshot, matter, index, press) {
  const isLast = index === snapshot.state.open.length - 1;
  const hint = matter.cards.length
    ? word("lift_it", { card: matter.cards.map(cardName).join(", ") })
    : word("put_right");
  return element(
    "li",
    { "data-tone": matter.ruling },
    element("span", { class: "shown" }, ...matter.cards.slice(0, 2).map((card) => cardFace(card))),
    element("p", {}, element("strong", {}, words(snapshot, matter)), element("span", { class: "hint" }, hint)),
    element(
      "span",
      { class: "answers" },
      // `forgive` lets the newest open matter stand, so only that one offers it.
      isLast ? button(word(matter.ruling === "unclear" ? "right_as_is" : "forgive"), () => press({ button: "forgive" })) : null,
    ),
  );
}

function newestQuestion(snapshot) {
  const line = snapshot.calls.at(-1)?.line;
  return snapshot.calls.find(
    (call) =>
      call.line === line &&
      call.ruling === "unclear" &&
      !answered.has(call.line) &&
      !snapshot.state.open.some((matter) => matter.fault === call.fault && overlaps(call, matter)),
  );
}

function askedMatter(snapshot, call, press, again) {
  const settle = (statement) => () => {
    answered.add(call.line);
    if (statement) press(statement);
    again();
  };
  const asksWho = call.question?.ask === "who" && call.cards?.length;
  const seats = asksWho ? snapshot.seats.filter((seat) => !snapshot.state.out.includes(seat)) : [];
  return element(
    "li",
    { "data-tone": "unclear" },
    element("span", { class: "shown" }, ...(call.cards ?? []).slice(0, 2).map((card) => cardFace(card))),
    element(
      "p",
      {},
      element("strong", {}, asksWho ? word("who_laid", { card: cardName(call.cards[0]) }) : call.text),
      element("span", { class: "hint" }, call.cards?.length ? word("lift_it", { card: call.cards.map(cardName).join(", ") }) : word("put_right")),
    ),
    element(
      "span",
      { class: "answers" },
      ...seats.map((seat) => button(seat, settle({ button: "assign", card: call.cards[0], to: seat }))),
      asksWho ? null : button(word("right_as_is"), settle(null)),
    ),
  );
}
