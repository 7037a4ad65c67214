// What the referee says: the newest call in large type, the ones before it as a list.

import { cardFace } from "./cards.js";
import { beforeAndAfter, changeText, takeBackButton, undoButton } from "./corrections.js";
import { crop } from "./crop.js";
import { element, show, showEach } from "./elements.js";
import { eventText } from "./event_text.js";
import { remedy } from "./matters.js";
import { calledAloud } from "./tone.js";
import { LONG_WORD, breakable, word } from "./words.js";

// What the rail shows anyway is no call of its own: the counts, and whose turn it is or who draws.
const SHOWN_ANYWAY = new Set(["talon", "limit", "score", "turn", "draw"]);

function isWorthSaying(group) {
  return group.some((call) => !SHOWN_ANYWAY.has(call.announce));
}

function byEvent(calls) {
  const groups = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (last && last[0].line === call.line) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

function tone(call) {
  if (call.ruling) return call.ruling;
  return call.announce === "result" ? "result" : "announcement";
}

function clock(at) {
  if (at === undefined) return "";
  return `${Math.floor(at / 60)}:${String(Math.floor(at % 60)).padStart(2, "0")}`;
}

// The more letters, the smaller: the largest type would push the table off the page.
const LONG = 34;
const LONGER = 62;

// `isTappable`: a button that opens what the referee knows of the play.
function sayings(title, words, more, isTappable = false) {
  return element(
    "div",
    { class: "said", ...(isTappable ? { role: "button", tabindex: "0" } : {}) },
    element("p", { class: "tone" }, title),
    element("p", { class: words.length > LONGER ? "words longer" : words.length > LONG ? "words long" : "words" }, words),
    element("p", { class: "more" }, more),
  );
}

// What is said of an event, in which a name that is one long word may break.
const textOf = (...calls) => breakable(calls.map((call) => call.text).join(" "), LONG_WORD);

// Of a correction, what was thought before and what holds now; null for other calls.
function changedBy({ announce, line }, { corrections }) {
  const correction = announce === "corrected" ? corrections.find((each) => each.line === line) : null;
  return correction ? changeText(correction) : null;
}

// Shows the headline (`sheet`: null on a page without answers); gives back the open matter it speaks of, if it speaks of one.
export function renderCall(place, snapshot, sheet) {
  const { headline } = snapshot.view;
  const [main, ...rest] = headline.calls.map(({ content, ...call }) => ({ ...content, ...call }));
  place.dataset.tone = headline.tone;
  if (!main) {
    delete place.dataset.line;
    const { event } = headline;
    show(place, event ? sayings("", breakable(happened(event, snapshot), LONG_WORD), "") : sayings("", word("waiting"), word("waiting_why")));
    return null;
  }
  const help = remedy(snapshot, main, sheet);
  place.dataset.line = main.line;
  const shown = (main.cards ?? []).slice(0, 3).map((card) => cardFace(card));
  show(
    place,
    sayings(word(headline.tone), textOf(main), changedBy(main, snapshot) ?? textOf(...rest), Boolean(sheet)),
    help
      ? element("div", { class: "remedy" }, element("div", { class: "why" }, crop(sheet.base, help.matter.line, true), element("p", {}, help.hint)), element("span", { class: "answers" }, ...help.answers))
      : null,
    element("div", { class: "shown", "aria-hidden": "true" }, ...shown),
  );
  return help?.matter ?? null;
}

// An event that brought no call of its own.
function happened(event, { state }) {
  if (event.event === "swept") return event.to === "heap" ? word("swept_heap") : word("swept_seat", { who: event.to });
  if (event.event === "pressed" && event.button === "take") return word("take_button", { defender: state.defender });
  return eventText(event);
}

// The statements that hold and stand on no line of their own among the calls, each with the way to take it back.
function pressed({ presses }, sheet, said) {
  return presses.filter(({ line }) => !said.has(line)).map(({ line, event }) => ({ line, about: line, at: event.at, tone: "pressed", what: [eventText(event)], undo: takeBackButton(line, sheet) }));
}

// Shows the calls that hold but for the one in large type, the statements and every correction, the newest first.
export function renderCalls(place, snapshot, sheet) {
  const groups = byEvent(calledAloud(snapshot).filter(({ announce }) => announce !== "corrected")).filter(isWorthSaying);
  const { line: said } = snapshot.view.headline;
  const calls = groups.filter(([first]) => (first.of ?? first.line) !== said).map((group) => ({ line: group[0].line, about: group[0].of ?? group[0].line, at: group[0].at, tone: tone(group[0]), what: [textOf(...group)] }));
  const corrections = snapshot.corrections.map((each) => ({ line: each.line, about: each.about ?? "", at: each.at, tone: "corrected", what: beforeAndAfter(each), undo: undoButton(each, sheet) }));
  const presses = pressed(snapshot, sheet, new Set([...calls, ...corrections].map(({ line }) => line)));
  const entries = [...calls, ...presses, ...corrections].sort((one, other) => other.line - one.line);
  if (entries.length === 0) return showEach(place, element("li", { class: "none" }, word("nothing_earlier")));
  return showEach(
    place,
    ...entries.map(({ about, at, tone, what, undo }) =>
      element("li", { "data-line": about, "data-tone": tone }, element("time", {}, clock(at)), element("button", { type: "button", class: "entry" }, element("span", {}, ...what)), undo),
    ),
  );
}
