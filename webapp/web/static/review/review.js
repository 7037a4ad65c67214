// A kept match, watched again: film and board side by side, moving together, with the list of what was said.

import { cardFace, cardText } from "../cards.js";
import { crop } from "../crop.js";
import { button, element, show } from "../elements.js";
import { renderFelt, renderRail } from "../felt.js";
import { whyNot } from "../refusal.js";
import { Sheet, told } from "../sheet.js";
import { reasons } from "../why.js";
import { listed, rulesName, word } from "../words.js";
import { FilmClock, RecordClock } from "./clock.js";
import { figuresOf } from "./figures.js";
import { boutsOf, drawTimeAxis } from "./time_axis.js";

const BEFORE_S = 2; // what led to a moment is seen too
const SHOWN_ANYWAY = new Set(["talon", "limit", "score"]); // stands beside the board
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const part = (id) => document.getElementById(id);
const id = document.querySelector("main").dataset.match; // none: a game that was pasted, of which nothing is kept
const base = id && `/api/matches/${encodeURIComponent(id)}`;
const nothing = element("div");

let match, clock, moveNeedle, shownPlace;
let callsByLine = new Map();
const callsAt = (line) => callsByLine.get(line) ?? [];
const sheet = base && new Sheet(base, () => load(clock?.now));

// The last step that had happened by a time; -1 before the first.
function placeAt(at) {
  let place = -1;
  while (place + 1 < match.steps.length && match.steps[place + 1].at <= at + 0.0005) place += 1;
  return place;
}

function clockText(at) {
  const seconds = Math.max(0, at);
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}.${Math.floor((seconds * 10) % 10)}`;
}

function snapshotAt(place) {
  const state = place < 0 ? match.start : match.steps[place].state;
  const calls = place < 0 ? [] : callsAt(match.steps[place].line);
  return { seats: match.seats, state, tone: "call", calls, question: null, last_event: null, rules: match.rules };
}

// Every frame of the film comes here; the board is drawn anew only where something happened.
function onTime(at) {
  part("clock").textContent = `${clockText(at)} / ${clockText(clock.endS)}`;
  part("play").textContent = word(clock.isPlaying ? "review_pause" : "review_play");
  document.body.dataset.at = at.toFixed(3);
  moveNeedle(at);
  const place = placeAt(at);
  if (place === shownPlace) return;
  shownPlace = place;
  document.body.dataset.line = place < 0 ? "" : match.steps[place].line;
  const snapshot = snapshotAt(place);
  renderFelt(document.querySelector(".felt"), snapshot);
  renderRail({ turn: part("turn"), stock: part("stock"), buttons: nothing }, snapshot, () => {});
  showKnown(place < 0 ? snapshot : match.steps[place]);
  showWhy(snapshot.calls);
  markCurrent();
}

// The list follows, within itself: the page stays where it is.
function markCurrent() {
  const list = part("calls");
  for (const item of list.children) item.toggleAttribute("aria-current", item.dataset.place === String(shownPlace));
  const current = list.querySelector("[aria-current]");
  if (current && clock.isPlaying) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}

// What everybody knew of a hand, what later plays prove of it, and what the two say of a take.
function showKnown({ state, later = {}, take }) {
  const hands = (key, held) =>
    Object.entries(held)
      .filter(([, cards]) => cards.length)
      .map(([who, cards]) => element("div", { class: `hand-known ${key}` }, element("span", {}, word(key, { who })), element("span", { class: "cards" }, ...cards.map((card) => cardFace(card)))));
  show(part("known"), ...hands("review_known", state.known ?? {}), ...hands("review_later", later), take ? element("p", { class: "take-proof" }, takeLine(take)) : null);
}

function takeLine({ seat: who, could, could_not: without }) {
  if (without) return word("take_could_not", { who, cards: listed(without.map(cardText)) });
  const pairs = could.map(([attack, defence]) => word("take_pair", { attack: cardText(attack), defence: cardText(defence) }));
  return word("take_could", { who, pairs: listed(pairs) });
}

function showWhy(calls) {
  const shown = calls.filter(({ ruling }) => ruling && ruling !== "legal");
  show(
    part("why"),
    ...shown.map((call) =>
      element(
        "details",
        { open: true, "data-tone": call.ruling },
        element("summary", {}, call.text),
        base ? crop(base, call.line) : null,
        ...reasons(call),
      ),
    ),
  );
  if (base && document.body.dataset.role === "referee" && shownPlace >= 0)
    part("why").append(
      button(word("review_correct"), () => sheet.line(match.steps[shownPlace].line), { class: "quiet" }),
      element("a", { class: "moment", href: `${base}/moment.zip?line=${match.steps[shownPlace].line}`, download: "", title: word("moment_why") }, word("moment_send")),
    );
}

// What a list entry can be found by: its words, its kind, and its cards as people write them.
function findable(step, calls) {
  const kinds = calls.flatMap(({ ruling, question }) => [
    ["illegal", "impossible"].includes(ruling) ? word("review_faults") : "",
    ruling === "unclear" && question ? word("review_questions") : "",
  ]);
  const cards = [step.event.card, step.event.on, ...calls.flatMap((call) => call.cards ?? [])].filter((card) => card && card !== "back");
  const written = cards.flatMap((card) => [card, cardText(card)]);
  return [told(step.event), step.comment ?? "", ...calls.map(({ text }) => text), ...kinds, step.said ? word("review_corrections") : "", ...written].join(" ").toLowerCase();
}

// One step's entry in the list, with the head of its bout before it; nothing where it is not what is asked for.
function entriesOf(step, place, asked, bouts) {
  const calls = callsAt(step.line).filter(({ ruling, announce }) => ruling !== "legal" && !SHOWN_ANYWAY.has(announce));
  if (asked && !findable(step, calls).includes(asked)) return [];
  const bout = bouts.get(place);
  const head = bout && !asked ? [element("li", { class: "bout-head" }, word("review_bout", { n: bout.number }))] : [];
  const tone = calls.find(({ ruling }) => ruling)?.ruling ?? (calls.some(({ announce }) => announce === "result") ? "result" : "");
  return [
    ...head,
    element(
      "li",
      { "data-place": place, "data-tone": tone, "aria-current": place === shownPlace },
      element("time", {}, clockText(step.at)),
      element(
        "button",
        { type: "button", class: "entry", onclick: () => goTo(step.at) },
        element("span", {}, told(step.event) || step.event.event),
        step.said ? element("em", {}, word("review_said_by_people")) : null,
        step.comment ? element("i", { dir: "auto" }, step.comment) : null,
        ...calls.map(({ text }) => element("b", {}, text)),
      ),
    ),
  ];
}

const AT_ONCE = 120; // entries: more than the list shows; the others follow while nothing else is to do
let listing = 0;
const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 30)); // Safari has none

function listCalls() {
  const asked = part("search").value.trim().toLowerCase();
  const bouts = new Map(boutsOf(match.steps).map((bout) => [bout.first, bout]));
  const own = (listing += 1);
  part("calls").replaceChildren();
  const more = (from) => {
    if (own !== listing) return; // it has been asked for something else meanwhile
    const upTo = Math.min(from + AT_ONCE, match.steps.length);
    for (let place = from; place < upTo; place += 1) part("calls").append(...entriesOf(match.steps[place], place, asked, bouts));
    if (upTo < match.steps.length) whenIdle(() => more(upTo));
    else if (!part("calls").firstChild) part("calls").append(element("li", { class: "none" }, word("review_search_none")));
  };
  more(0);
}

// Board and film go to just before a moment, so that one sees how it came to be.
function goTo(at, exactly = false) {
  clock.seek(exactly ? at : Math.max(clock.beganS, at - (clock instanceof FilmClock && clock.isPlaying ? BEFORE_S : 0)));
}

function event(step) {
  clock.pause();
  const place = Math.min(Math.max(placeAt(clock.now) + step, 0), match.steps.length - 1);
  clock.seek(match.steps[place].at + 0.0005);
}

function toggle() {
  if (clock.isPlaying) clock.pause();
  else clock.play();
  setTimeout(() => onTime(clock.now), 50);
}

function setSpeed(times) {
  clock.speed = times;
  part("speed").value = String(times);
}

function faster(step) {
  const place = SPEEDS.indexOf(Number(part("speed").value)) + step;
  setSpeed(SPEEDS[Math.min(Math.max(place, 0), SPEEDS.length - 1)]);
  if (!clock.isPlaying) clock.play();
}

const KEYS = {
  " ": toggle,
  k: () => clock.pause(),
  j: () => faster(-1),
  l: () => faster(1),
  ArrowLeft: () => event(-1),
  ArrowRight: () => event(1),
  ",": () => clock.frame(-1),
  ".": () => clock.frame(1),
};

document.addEventListener("keydown", (pressed) => {
  if (!clock || pressed.target.closest("input, select, textarea, dialog") || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
  const act = KEYS[pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key];
  if (!act) return;
  pressed.preventDefault();
  act();
  onTime(clock.now);
});

// `answer`: when each frame of the film is; null where the clock is there already.
async function filmClock(answer) {
  const frames = answer?.status === 200 ? Float64Array.from(new Uint32Array(await answer.arrayBuffer()), (ms) => ms / 1000) : [];
  if (frames.length === 0) return null;
  const video = part("film");
  video.src = `${base}/film?fragments=${answer.headers.get("X-Film-Fragments")}`;
  return new FilmClock(video, frames, onTime);
}

// The second that the address names, as a page that leads here does.
function timeAskedFor() {
  const asked = Number(new URLSearchParams(location.hash.slice(1)).get("at") ?? NaN);
  return Number.isFinite(asked) ? Math.min(Math.max(asked, clock.beganS), clock.endS) : undefined;
}

async function load(at) {
  const asked = [fetch(`${base}/replay?language=${document.body.dataset.language}`), clock ? null : fetch(`${base}/film/frames`)];
  const [answer, frames] = await Promise.all(asked);
  if (answer.ok) {
    const found = await answer.json();
    const when = new Date(found.started).toLocaleString(document.documentElement.lang);
    open(found, clock ?? (await filmClock(frames)), when, at);
  } else part("told").textContent = word("review_failed", { why: await whyNot(answer) });
}

// Shows a match from its beginning, or from where one was; `running`: what moves it, null where there is no film.
export function open(found, running, when, at) {
  match = found;
  callsByLine = new Map();
  for (const call of match.calls) callsByLine.set(call.line, [...callsAt(call.line), call]);
  part("told").hidden = true;
  part("about").textContent = [when, listed(match.seats), rulesName(match.rules)].filter(Boolean).join(" · ");
  if (clock !== running) clock?.pause();
  clock = running ?? new RecordClock(match, onTime);
  clock.speed = Number(part("speed").value);
  const isFilmed = clock instanceof FilmClock;
  part("film").hidden = !isFilmed;
  part("no-film").hidden = isFilmed;
  document.querySelector("main").classList.toggle("filmed", isFilmed);
  moveNeedle = drawTimeAxis(part("axis"), { ...match, beganS: clock.beganS, endS: clock.endS }, goTo);
  shownPlace = undefined;
  listCalls();
  const begin = at ?? timeAskedFor() ?? clock.beganS;
  if (at === undefined) clock.seek(begin);
  onTime(begin);
  document.body.dataset.ready = "yes";
}

// Drawn when they are looked at.
part("figures").addEventListener("toggle", ({ currentTarget }) => {
  if (currentTarget.open && match) currentTarget.querySelector("div").replaceChildren(...figuresOf(match, clock.endS));
});
part("play").addEventListener("click", toggle);
part("event-back").addEventListener("click", () => event(-1));
part("event-on").addEventListener("click", () => event(1));
part("frame-back").addEventListener("click", () => clock.frame(-1));
part("frame-on").addEventListener("click", () => clock.frame(1));
part("speed").addEventListener("change", ({ currentTarget }) => setSpeed(Number(currentTarget.value)));
part("search").addEventListener("input", listCalls);
if (base) load();
