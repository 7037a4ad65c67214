// What the referee says: the newest call in large type, the ones before it as a list.

import { cardFace } from "./cards.js";
import { beforeAndAfter, changeText, takeBackButton, undoButton } from "./corrections.js";
import { crop } from "./crop.js";
import { element, show, showEach } from "./elements.js";
import { eventText } from "./event_text.js";
import { remedy } from "./matters.js";
import { calledAloud } from "./tone.js";
import { LONG_WORD, breakable, word } from "./words.js";

// Of what one event brought, the most important is said in large type.
const WEIGHT = ["corrected", "result", "illegal", "impossible", "unclear", "challenge", "withdrawn", "doubt", "lead", "draw", "out", "turn"];
const OTHERS = ["trump", "turnup", "deal", "score", "legal", "limit", "talon"];

function kind(call) {
  return call.ruling ?? call.announce;
}

function weight(call) {
  const place = [...WEIGHT, ...OTHERS].indexOf(kind(call));
  return place < 0 ? WEIGHT.length + OTHERS.length : place;
}

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

export function tone(call) {
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

// A play that was put right or let stand after it was called is over: its banner goes. What was put right before it could
// be called is called nevertheless.
const seenOpen = new Set();

function isMended(call, { game, state: { open } }) {
  if (call.ruling !== "illegal" && call.ruling !== "impossible") return false;
  const key = `${game}|${call.of ?? call.line}|${call.fault}`;
  const isOpen = open.some((matter) => matter.fault === call.fault && (call.cards ?? []).some((card) => matter.cards.includes(card)));
  if (isOpen) seenOpen.add(key);
  return !isOpen && seenOpen.has(key);
}

// The end of a bout, where it brought no ruling of its own.
function ending({ last_event: last }, group) {
  if (last?.event !== "swept" || (group && group[0].at >= last.at && group.some((call) => call.announce !== "take"))) return "";
  return last.to === "heap" ? word("swept_heap") : word("swept_seat", { who: last.to });
}

// A take that was announced brings no call of its own; the line of whose turn it is says so.
function hasJustTaken({ last_event: last, state: { phase } }) {
  return phase === "take" && last?.event === "pressed" && last.button === "take";
}

// What is said of an event, in which a name that is one long word may break.
const textOf = (...calls) => breakable(calls.map((call) => call.text).join(" "), LONG_WORD);

// Of a correction, what was thought before and what holds now; null for other calls.
function changedBy({ announce, line }, { corrections }) {
  const correction = announce === "corrected" ? corrections.find((each) => each.line === line) : null;
  return correction ? changeText(correction) : null;
}

// Shows the newest call (`sheet`: null on a page without answers); gives back the open matter it speaks of, if it speaks of one.
export function renderCall(place, snapshot, sheet) {
  const group = byEvent(calledAloud(snapshot)).findLast(isWorthSaying);
  const isOver = group?.some((call) => isMended(call, snapshot)) || hasJustTaken(snapshot);
  const ended = ending(snapshot, group);
  if (!group || isOver || ended) {
    place.dataset.tone = "quiet";
    delete place.dataset.line;
    const taken = hasJustTaken(snapshot) ? word("take_button", { defender: snapshot.state.defender }) : word("settled");
    show(place, ended ? sayings("", ended, "") : isOver ? sayings("", taken, "") : sayings("", word("waiting"), word("waiting_why")));
    return null;
  }
  const [main, ...rest] = [...group].sort((one, other) => weight(one) - weight(other));
  const more = rest.filter((call) => !SHOWN_ANYWAY.has(call.announce));
  const help = remedy(snapshot, main, sheet);
  place.dataset.tone = tone(main);
  place.dataset.line = main.of ?? main.line;
  const shown = (main.cards ?? []).slice(0, 3).map((card) => cardFace(card));
  show(
    place,
    sayings(word(tone(main)), textOf(main), changedBy(main, snapshot) ?? textOf(...more), Boolean(sheet)),
    help
      ? element("div", { class: "remedy" }, element("div", { class: "why" }, crop(sheet.base, help.matter.line, true), element("p", {}, help.hint)), element("span", { class: "answers" }, ...help.answers))
      : null,
    element("div", { class: "shown", "aria-hidden": "true" }, ...shown),
  );
  return help?.matter ?? null;
}

// The statements that hold and stand on no line of their own among the calls, each with the way to take it back.
function pressed({ presses }, sheet, said) {
  return presses.filter(({ line }) => !said.has(line)).map(({ line, event }) => ({ line, about: line, at: event.at, tone: "pressed", what: [eventText(event)], undo: takeBackButton(line, sheet) }));
}

// Shows the calls before the newest one, the statements and every correction that holds, the newest first.
export function renderCalls(place, snapshot, sheet) {
  const corrected = new Set(snapshot.corrections.map(({ line }) => line));
  const groups = byEvent(calledAloud(snapshot)).filter(isWorthSaying).slice(0, -1);
  const calls = groups.filter(([first]) => !corrected.has(first.line)).map((group) => {
    const kind = tone([...group].sort((one, other) => weight(one) - weight(other))[0]);
    return { line: group[0].line, about: group[0].of ?? group[0].line, at: group[0].at, tone: kind, what: [textOf(...group)] };
  });
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
