// The last step: everything that was chosen, a line each, which leads to where it is changed.

import { cardText } from "../cards.js";
import { element, show } from "../elements.js";
import { listed, rulesName, word } from "../words.js";
import { sourceName } from "./sources.js";

export const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };

// What nobody has said yet, by the step on which it is chosen.
export const STEP_OF = { source: "camera", picture: "camera", seats: "players", trump: "start", talon: "start", dealer: "start" };

export function lacking({ missing, options, choices, dealer, lead, start }) {
  const first = choices.options.find(({ option }) => option === "first_lead");
  const isDealerAsked = first?.value === "left_of_dealer" && dealer === null && lead === null && start === null;
  return isDealerAsked ? [...missing, "dealer"] : missing;
}

export const needs = (setup) => lacking(setup).map((each) => element("p", { class: "bad" }, element("a", { href: `#${STEP_OF[each]}` }, word(`need_${each}`))));

function whoPlays({ seats, rules }) {
  if (seats.length) return word("summary_seats", { names: listed(seats) });
  return word(rules === "free" ? "summary_free" : "summary_nobody");
}

function camera({ source, choices }) {
  if (source === null) return word("summary_no_camera");
  return sourceName(choices.sources.find((each) => each.source === source) ?? { source, name: source });
}

function rulesText({ rules, options, choices }) {
  const own = choices.options.filter(({ option }) => option in options);
  const sentences = own.map(({ value, values }) => values.find((each) => JSON.stringify(each.value) === JSON.stringify(value))?.text);
  return [rulesName(rules), ...sentences.filter(Boolean)].join(" · ");
}

function deal({ start, seats, dealer }) {
  if (start) return start.attacker ? word("summary_dealt", { seat: start.attacker }) : word("begun_yes");
  if (!seats.length) return "";
  return dealer ? word("summary_not_dealt", { seat: dealer }) : word("begun_no");
}

function trump({ start }) {
  if (!start?.trump) return word("summary_trump_open");
  return [`${SIGNS[start.trump]} ${word(`suit_${start.trump}`)}`, start.turnup ? word("seen_turnup", { card: cardText(start.turnup) }) : null].filter(Boolean).join(" · ");
}

function cardsLeft({ start, seats }) {
  return [[word("talon"), start.talon ?? "?"], ...seats.map((seat) => [seat, start.hands[seat]])].map((each) => each.join(":\u00a0")).join(" · ");
}

export function finishStep(place, setup) {
  const { start, rules, choices } = setup;
  const lines = [
    ["players", "setup_players", whoPlays(setup)],
    ["camera", "setup_camera", camera(setup)],
    ["rules", "setup_rules", rulesText(setup)],
    ["deck", "setup_deck", setup.deck ?? word("deck_any")],
    rules === "free" ? null : ["start", "setup_start", deal(setup)],
    rules === "free" ? null : ["start", "trump", trump(setup)],
    start ? ["start", "summary_left", cardsLeft(setup)] : null,
    ["start", "tone_title", word(`tone_${setup.tone}`)],
    setup.series ? ["start", "summary_series", word("series_to", { n: setup.series })] : null,
    choices.recording ? ["start", "film_title", word(setup.recording ? "film_yes" : "film_no")] : null,
  ].filter((line) => line !== null);
  show(
    place,
    element("h1", {}, word("setup_finish_title")),
    ...needs(setup),
    element("p", { class: "how" }, word("summary_how")),
    element("div", { class: "summary" }, ...lines.map(([step, label, text]) => element("a", { href: `#${step}`, class: "summary-line" }, element("b", {}, word(label)), element("span", {}, text)))),
  );
}
