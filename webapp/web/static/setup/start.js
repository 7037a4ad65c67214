// The fifth step: has the game begun already, who deals, how does the referee speak up, is a film kept.

import { cardText } from "../cards.js";
import { button, element, show } from "../elements.js";
import { breakable, word } from "../words.js";
import { needs, SIGNS } from "./finish.js";

const SERIES = [null, 3, 5, 10]; // losses to which a series is played
const SUITS = ["s", "h", "d", "c"];

const pressed = (isOn) => ({ class: "choice", "aria-pressed": String(isOn) });

// Whether the deal had begun, and if so from which position; `start` is undefined where nobody has said it yet.
export function beginning(setup, { choose, latest }) {
  const { start } = setup;
  const { proposal } = setup.view;
  return [
    element("h2", {}, word("begun_title")),
    element(
      "div",
      { class: "choices" },
      button(word("begun_no"), () => choose({ start: null }), pressed(start === null)),
      button(word("begun_yes"), () => start ?? choose({ start: proposal }), { ...pressed(Boolean(start)), disabled: proposal === null }),
    ),
    ...seen(setup, choose),
    ...(start ? position(setup, choose, latest) : start === null ? before(setup, choose) : []),
  ];
}

export function startStep(place, setup, { choose, latest }) {
  show(
    place,
    element("h1", {}, word("setup_start_title")),
    ...needs(setup),
    ...beginning(setup, { choose, latest }),
    element("h2", {}, word("tone_title")),
    element("div", { class: "choices" }, ...setup.choices.tones.map((tone) => button(word(`tone_${tone}`), () => choose({ tone }), pressed(tone === setup.tone)))),
    element("h2", {}, word("series_title")),
    element("div", { class: "choices" }, ...SERIES.map((series) => button(series === null ? word("series_none") : word("series_to", { n: series }), () => choose({ series }), pressed(series === setup.series)))),
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
  const made = seats.map((seat) => button(breakable(seat), () => onChoice(seat), { class: "choice", "aria-pressed": String(seat === chosen) }));
  if (other) made.unshift(button(other, () => onChoice(null), { class: "choice", "aria-pressed": String(chosen === null) }));
  return element("div", { class: "choices" }, ...made);
}

function before({ seats, dealer, lead }, choose) {
  if (seats.length < 2) return [];
  return [
    element("h2", {}, word("who_deals")),
    seatChoices(seats, dealer, (seat) => choose({ dealer: seat })),
    element("h2", {}, word("who_leads")),
    seatChoices(seats, lead, (seat) => choose({ lead: seat }), word("lead_by_rules")),
  ];
}

// What the camera sees of a game under way, and one tap to begin with it.
function seen({ start, view: { table, proposal } }, choose) {
  if (!table.turnup) return [];
  const laid = table.bout.flat().filter((card) => card !== null);
  const facts = [
    word("seen_turnup", { card: cardText(table.turnup) }),
    table.heap ? word("seen_heap") : null,
    laid.length ? word("seen_bout", { cards: laid.map(cardText).join("  ") }) : null,
  ].filter((fact) => fact !== null);
  const isTaken = start?.turnup === table.turnup && start.trump === table.turnup[1];
  return [
    element("p", { class: "seen-table" }, element("b", {}, word("seen_title")), ": ", facts.join(" · ")),
    isTaken || !proposal ? null : button(word("seen_use"), () => choose({ start: start ? { ...start, turnup: table.turnup, trump: table.turnup[1] } : proposal })),
    start && laid.length ? element("p", { class: "how" }, word("seen_count_bout")) : null,
    start && table.heap ? element("p", { class: "how" }, word("seen_count_talon")) : null,
  ];
}

const MOST = 52;

// A count: one fewer, one more, or typed; null: nobody has counted yet. `least`: where fewer can't be.
function stepper(label, value, onChange, least = 0) {
  const field = element("input", { type: "number", inputmode: "numeric", min: least, max: MOST, value, placeholder: "?", "aria-label": label });
  const set = (count) => onChange(Math.min(MOST, Math.max(least, Math.round(count))));
  field.addEventListener("change", () => field.value !== "" && set(Number(field.value)));
  return element(
    "div",
    { class: "stepper", role: "group", "aria-label": label },
    element("span", {}, label),
    button("−", () => set(Number(field.value) - 1), { "aria-label": word("fewer", { what: label }) }),
    field,
    button("+", () => set(Number(field.value) + 1), { "aria-label": word("more", { what: label }) }),
  );
}

// A game under way: what the referee can't see by itself.
function position(setup, choose, latest) {
  const { start, seats } = setup;
  const now = () => latest().start ?? start;
  const change = (values) => choose({ start: { ...now(), ...values } });
  const { turnup } = setup.view.table;
  return [
    element("h2", {}, word("trump")),
    element(
      "div",
      { class: "choices" },
      ...SUITS.map((suit) =>
        button(SIGNS[suit], () => change({ trump: suit, turnup: turnup?.[1] === suit ? turnup : null }), {
          class: `choice suit-choice ${suit === "h" || suit === "d" ? "red" : "black"}`,
          "data-suit": suit,
          "aria-label": word(`suit_${suit}`),
          "aria-pressed": String(start.trump === suit),
        }),
      ),
    ),
    element("h2", {}, word("cards_left_title")),
    stepper(word("talon"), start.talon, (talon) => change(countedOut(setup, now().hands, talon)), start.turnup ? 1 : 0),
    ...seats.map((seat) =>
      stepper(seat, start.hands[seat] ?? 0, (held) => {
        const { hands, talon } = now();
        return change(countedOut(setup, { ...hands, [seat]: held }, talon));
      }),
    ),
    element("h2", {}, word("who_attacks_now")),
    seatChoices(seats, start.attacker ?? null, (attacker) => change({ attacker }), word("attacker_seen")),
  ];
}

// What is neither in a hand nor in the talon lies beaten.
function countedOut(setup, hands, talon) {
  if (talon === null) return { hands };
  const pack = setup.choices.options.find(({ option }) => option === "pack")?.value ?? 36;
  const held = Object.values(hands).reduce((sum, count) => sum + count, 0);
  const heap = pack - held - talon;
  return { hands, talon, ...(heap > 0 ? { heap_count: heap, bout: 2, beaten_off: 1 } : { heap_count: 0, bout: 1, beaten_off: 0 }) };
}
