// The last step: has the game begun already, how does the referee speak up, is a film kept; then it begins.

import { cardText } from "../cards.js";
import { button, element, show } from "../elements.js";
import { word } from "../words.js";

const SUITS = ["s", "h", "d", "c"];
const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };

export function finishStep(place, setup, { choose }) {
  const { start, seats } = setup;
  const pressed = (isOn) => ({ class: "choice", "aria-pressed": String(isOn) });
  show(
    place,
    element("h1", {}, word("setup_finish_title")),
    seats.length < 2 && setup.rules !== "free" ? element("p", { class: "bad" }, word("need_players")) : null,
    element("h2", {}, word("begun_title")),
    element(
      "div",
      { class: "choices" },
      button(word("begun_no"), () => choose({ start: null }), pressed(start === null)),
      button(word("begun_yes"), () => choose({ start: usualStart(setup) }), pressed(start !== null)),
    ),
    ...(start === null ? before(setup, choose) : position(setup, choose)),
    element("h2", {}, word("tone_title")),
    element("div", { class: "choices" }, ...setup.choices.tones.map((tone) => button(word(`tone_${tone}`), () => choose({ tone }), pressed(tone === setup.tone)))),
    setup.choices.recording
      ? element(
          "div",
          {},
          element("h2", {}, word("film_title")),
          element(
            "div",
            { class: "choices" },
            button(word("film_no"), () => choose({ recording: false }), pressed(!setup.recording)),
            button(word("film_yes"), () => choose({ recording: true }), pressed(setup.recording)),
          ),
        )
      : null,
  );
}

function seatChoices(seats, chosen, onChoice, other) {
  const made = seats.map((seat) => button(seat, () => onChoice(seat), { class: "choice", "aria-pressed": String(seat === chosen) }));
  if (other) made.unshift(button(other, () => onChoice(null), { class: "choice", "aria-pressed": String(chosen === null) }));
  return element("div", { class: "choices" }, ...made);
}

function before({ seats, dealer, lead }, choose) {
  if (seats.length < 2) return [];
  return [
    element("h2", {}, word("who_deals")),
    seatChoices(seats, dealer ?? seats.at(-1), (seat) => choose({ dealer: seat })),
    element("h2", {}, word("who_leads")),
    seatChoices(seats, lead, (seat) => choose({ lead: seat }), word("lead_by_rules")),
  ];
}

function usualStart({ seats, choices }) {
  const value = (name, usual) => choices.options.find(({ option }) => option === name)?.value ?? usual;
  const [pack, hand] = [value("pack", 36), value("hand_size", 6)];
  return {
    trump: "s",
    turnup: null,
    talon: Math.max(0, pack - hand * seats.length),
    hands: Object.fromEntries(seats.map((seat) => [seat, hand])),
    attacker: seats[0] ?? null,
  };
}

function stepper(label, value, onChange) {
  return element(
    "div",
    { class: "stepper", role: "group", "aria-label": label },
    element("span", {}, label),
    button("−", () => onChange(Math.max(0, value - 1)), { "aria-label": word("fewer", { what: label }) }),
    element("b", {}, String(value)),
    button("+", () => onChange(value + 1), { "aria-label": word("more", { what: label }) }),
  );
}

// A game under way: what the referee can't see by itself.
function position(setup, choose) {
  const { start, seats } = setup;
  const change = (values) => choose({ start: { ...start, ...values } });
  const seen = setup.view.cards.map(([card]) => card);
  return [
    element("h2", {}, word("trump")),
    element(
      "div",
      { class: "choices" },
      ...SUITS.map((suit) =>
        button(SIGNS[suit], () => change({ trump: suit, turnup: null }), {
          class: `choice suit-choice ${suit === "h" || suit === "d" ? "red" : "black"}`,
          "data-suit": suit,
          "aria-label": word(`suit_${suit}`),
          "aria-pressed": String(start.trump === suit),
        }),
      ),
    ),
    seen.length
      ? element(
          "div",
          { class: "choices" },
          element("span", { class: "how" }, word("turnup_seen")),
          ...seen.slice(0, 6).map((card) => button(element("bdi", { dir: "ltr" }, cardText(card)), () => change({ turnup: card, trump: card[1] }), { class: "choice", "aria-pressed": String(start.turnup === card) })),
        )
      : null,
    element("h2", {}, word("cards_left_title")),
    stepper(word("talon"), start.talon, (talon) => change(countedOut(setup, start.hands, talon))),
    ...seats.map((seat) => stepper(seat, start.hands[seat] ?? 0, (held) => change(countedOut(setup, { ...start.hands, [seat]: held }, start.talon)))),
    element("h2", {}, word("who_attacks_now")),
    seatChoices(seats, start.attacker ?? null, (attacker) => change({ attacker })),
  ];
}

// What is neither in a hand nor in the talon lies beaten.
function countedOut(setup, hands, talon) {
  const pack = setup.choices.options.find(({ option }) => option === "pack")?.value ?? 36;
  const held = Object.values(hands).reduce((sum, count) => sum + count, 0);
  const heap = pack - held - talon;
  return { hands, talon, ...(heap > 0 ? { heap_count: heap, bout: 2, beaten_off: 1 } : { heap_count: 0, bout: 1, beaten_off: 0 }) };
}
