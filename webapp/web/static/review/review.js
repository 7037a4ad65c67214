// A kept match, watched again: film and board side by side, moving together, with the list of what happened.

import "../board.js";
import "../plays.js";
import "../timeline.js";
import { Sheet } from "../sheet.js";
import { button, element } from "../elements.js";
import { askJudged } from "../jobs.js";
import { renderRail } from "../rail.js";
import { post, whyNot } from "../refusal.js";
import { clockText, listed, rulesName, word } from "../words.js";
import * as analysis from "./analysis.js";
import { EventActions } from "./actions.js";
import { drawDialog, newDialog } from "../dialog.js";
import { FilmClock, RecordClock } from "./clock.js";
import { figuresOf } from "./figures.js";
import { showKnown, showWhy } from "./position.js";
import { tabs } from "../tabs.js";

const BEFORE_S = 2; // what led to a moment is shown too
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const part = (id) => document.getElementById(id);
const id = document.querySelector("main").dataset.match; // none: a game that was pasted, of which nothing is kept
const base = id && `/api/matches/${encodeURIComponent(id)}`;
const nothing = element("div");
const deletion = newDialog(word("match_delete"));
const board = document.querySelector("k-board");

let match, clock, shownPlace;
let pinned = null; // the place that somebody chose by its number; it holds until another time is chosen, or time runs
let pinnedAt = 0;
let costly = []; // decisions that cost more than a tenth, where the match was analysed
let shownFrom = []; // for each step the time of the first picture on which it has happened, ascending
let callsByLine = new Map();
const callsAt = (line) => callsByLine.get(line) ?? [];
const sheet = base && new Sheet(base, () => load(clock?.now));
const [plays, timeline] = [part("calls"), part("timeline")];
const actions = base && new EventActions(part("actions"), part("share-play"), { base, match: id, sheet, onWrite: () => clock.pause(), onComment: () => load(clock?.now) });

// The last step that has happened on the picture of a time; -1 before the first.
function placeAt(at) {
  let place = -1;
  while (place + 1 < shownFrom.length && shownFrom[place + 1] <= at + 0.0005) place += 1;
  return place;
}

function snapshotAt(place) {
  const state = place < 0 ? match.start : match.steps[place].state;
  const calls = place < 0 ? [] : callsAt(match.steps[place].line);
  return { seats: match.seats, teams: match.teams, state, tone: "call", calls, question: null, last_event: null, rules: match.rules };
}

// Every frame of the film comes here; the board is drawn again only where another event is shown.
function onTime(at) {
  part("play").textContent = word(clock.isPlaying ? "review_pause" : "review_play");
  document.body.dataset.at = at.toFixed(3);
  timeline.at(at);
  if (clock.isPlaying || Math.abs(clock.now - pinnedAt) > 0.0005) pinned = null;
  const place = pinned ?? placeAt(at);
  if (place !== shownPlace) showPlace(place);
  part("clock").textContent = isTimeless() ? `${place + 1} / ${match.steps.length}` : `${clockText(at, true)} / ${clockText(clock.endS, true)}`;
}

// A game that was written by hand names no times.
const isTimeless = () => !base && clock.pace < 1;

function showPlace(place) {
  shownPlace = place;
  const step = match.steps[place];
  document.body.dataset.line = step?.line ?? "";
  const snapshot = snapshotAt(place);
  board.show(snapshot);
  renderRail({ turn: part("turn"), stock: part("stock"), buttons: nothing }, snapshot, () => {});
  showKnown(part("known"), step ?? snapshot);
  showJudged(snapshot.calls, step);
  plays.mark(step?.line);
  actions?.show(step, match.corrections, snapshot.calls);
}

// What was called on a step and what it cost, with the better decision on the board.
function showJudged(calls, step) {
  const decision = costly.find(({ line }) => line === step?.line);
  showWhy(part("why"), calls, sheet, decision ? analysis.costLine(decision) : null);
  analysis.showBetter(board, decision);
}

// --- moving about ---

const placeOf = (line) => match.steps.findIndex((step) => step.line === line);

// An event by its number: never by its time, which may lie between two pictures, or be that of several events.
function choose(place) {
  if (!match.steps.length) return undefined;
  if (clock.isPlaying && clock instanceof FilmClock) return goTo(match.steps[place].at - BEFORE_S);
  clock.pause();
  pinned = Math.min(Math.max(place, 0), match.steps.length - 1);
  clock.seek(shownFrom[pinned]);
  pinnedAt = clock.now;
  return onTime(clock.now);
}

function goTo(at) {
  pinned = null;
  clock.seek(Math.min(Math.max(at, clock.beganS), clock.endS));
}

function step(by) {
  clock.pause();
  choose(shownPlace + by);
}

function frame(by) {
  pinned = null;
  clock.frame(by);
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

function faster(by) {
  const place = SPEEDS.indexOf(Number(part("speed").value)) + by;
  setSpeed(SPEEDS[Math.min(Math.max(place, 0), SPEEDS.length - 1)]);
  if (!clock.isPlaying) clock.play();
}

const KEYS = {
  " ": toggle,
  k: () => clock.pause(),
  j: () => faster(-1),
  l: () => faster(1),
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  ",": () => frame(-1),
  ".": () => frame(1),
};

document.addEventListener("keydown", (pressed) => {
  if (!clock || pressed.target.closest("input, select, textarea, dialog") || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
  const act = KEYS[pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key];
  if (!act) return;
  pressed.preventDefault();
  act();
  onTime(clock.now);
});

// --- opening ---

// `answer`: when each frame of the film is; null where the clock is there already.
async function filmClock(answer) {
  const frames = answer?.status === 200 ? Float64Array.from(new Uint32Array(await answer.arrayBuffer()), (ms) => ms / 1000) : [];
  if (frames.length === 0) return null;
  const video = part("film");
  video.poster = `${base}/picture.jpg?at=${frames[0]}`; // browsers that save data load no film before it is played
  video.src = `${base}/film?fragments=${answer.headers.get("X-Film-Fragments")}`;
  return new FilmClock(video, frames, onTime);
}

// What the address names: a line of the record, or a second.
function goWhereAsked() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const place = placeOf(Number(asked.get("line")));
  if (asked.has("line") && place >= 0) return choose(place);
  const at = Number(asked.get("at") ?? NaN);
  if (Number.isFinite(at)) return goTo(at);
  // Before the first event a film shows nothing of the table: what lies beyond the game's outline is black.
  return clock instanceof FilmClock && match.steps.length ? choose(0) : goTo(clock.beganS);
}

let loads = 0; // requests so far: only the answer to the newest is shown

async function load(at) {
  loads += 1;
  const newest = loads;
  const asked = [askJudged(`${base}/replay?language=${document.body.dataset.language}`, part("told")), clock ? null : fetch(`${base}/film/frames`)];
  const [answer, frames] = await Promise.all(asked);
  const found = answer?.ok ? await answer.json() : null;
  if (newest !== loads) return;
  if (found) {
    const when = new Date(found.started).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    open(found, clock ?? (await filmClock(frames)), when, at);
  } else {
    part("told").hidden = false;
    part("told").textContent = word("review_failed", { why: await whyNot(answer) });
  }
}

// Shows a match from its beginning, or from where one was; `running`: what moves it, null where there is no film.
export function open(found, running, when, at) {
  const chosen = pinned === null ? null : match.steps[pinned]?.line; // its place moves where an event is put in before it
  match = found;
  callsByLine = new Map();
  for (const call of match.calls) callsByLine.set(call.line, [...callsAt(call.line), call]);
  part("told").hidden = true;
  if (base) allowChanges(found.goes_on);
  part("about").textContent = [when, listed(match.seats), rulesName(match.rules)].filter(Boolean).join(" · ");
  if (clock !== running) clock?.pause();
  clock = running ?? new RecordClock(match, onTime);
  clock.speed = Number(part("speed").value);
  shownFrom = match.steps.reduce((times, step) => [...times, Math.max(clock.shows(step.at), times.at(-1) ?? 0)], []);
  const isFilmed = clock instanceof FilmClock;
  part("film").hidden = !isFilmed;
  part("no-film").hidden = isFilmed;
  part("table-only").hidden = !(isFilmed && match.table_only);
  document.querySelector("main").classList.toggle("filmed", isFilmed);
  drawTimeline();
  if (base) showLosses();
  shownPlace = undefined;
  plays.toggleAttribute("timeless", isTimeless());
  plays.show(match);
  if (at === undefined) goWhereAsked();
  else if (chosen !== null) choose(Math.max(placeOf(chosen), 0));
  onTime(clock.now);
  document.body.dataset.ready = "yes";
}

// A match that is played elsewhere, or was broken off, is only watched here; one that no table plays any more is ended here.
function allowChanges(goesOn) {
  const isReferee = document.body.dataset.role === "referee";
  sheet.mayCorrect = isReferee && (!goesOn || goesOn.here);
  for (const each of [part("delete"), part("tab-analysis")]) if (each) each.hidden = !match.ended; // refused before the end
  const place = part("goes-on");
  place.hidden = !goesOn || Boolean(match.result); // a game that is decided goes on no more, whatever the table does
  if (place.hidden) return;
  const end = async () => {
    const answer = await post(`${base}/end`);
    if (answer?.ok) load(clock?.now);
    else place.append(element("span", { class: "trouble", role: "alert" }, await whyNot(answer)));
  };
  const link = (href, text) => element("a", { href }, word(text));
  if (goesOn.here) place.replaceChildren(`${word("goes_on_here")} `, link("/", "back_to_table"));
  else if (goesOn.table === null) place.replaceChildren(`${word("broken_off")} `, isReferee ? button(word("match_end"), end, { class: "quiet" }) : "");
  else place.replaceChildren(`${word("goes_on_at", { table: goesOn.table })} `, goesOn.address ? link(goesOn.address, "goes_on_open") : "");
}

function drawTimeline() {
  timeline.show({ ...match, beganS: clock.beganS, endS: clock.endS, losses: analysis.marksOfLosses(costly, match) });
  timeline.at(clock.now);
}

plays.onPick = timeline.onBout = timeline.onMark = (line) => choose(placeOf(line));
timeline.onTime = goTo;

// Marks where much was lost; also called when an analysis has just been made.
async function showLosses() {
  costly = await analysis.costlyDecisions();
  if (costly.length) {
    drawTimeline();
    plays.cost(new Map(costly.map(({ line, loss }) => [line, loss])));
  }
  showJudged(snapshotAt(shownPlace).calls, match.steps[shownPlace]);
}

// Deletes the match with its film, after a warning that says what is lost.
function askWhetherToDelete() {
  const trouble = element("p", { class: "trouble", role: "alert", hidden: true });
  const remove = async () => {
    const answer = await fetch(base, { method: "DELETE" }).catch(() => null);
    if (answer?.ok) return location.assign("/matches");
    trouble.hidden = false;
    trouble.textContent = await whyNot(answer);
    return undefined;
  };
  const choices = [button(word("match_delete_yes"), remove, { class: "danger" }), button(word("cancel"), () => deletion.close(), { class: "quiet" })];
  drawDialog(deletion, word("match_delete"), element("p", {}, word("match_delete_warning")), trouble, element("div", { class: "choices" }, ...choices));
}

// Nothing is shown any more: what was asked for last can't be.
export function close() {
  clock?.pause();
  delete document.body.dataset.ready;
  part("about").textContent = "";
}

// Drawn when they are opened.
tabs(part("tabs"), (name) => {
  if (name === "figures" && match) part(name).querySelector("div").replaceChildren(...figuresOf(match, clock.endS));
  if (name === "analysis" && match) analysis.showAnalysis(match, clock.endS, showLosses);
});
part("play").addEventListener("click", toggle);
part("event-back").addEventListener("click", () => step(-1));
part("event-on").addEventListener("click", () => step(1));
part("frame-back").addEventListener("click", () => frame(-1));
part("frame-on").addEventListener("click", () => frame(1));
part("speed").addEventListener("change", ({ currentTarget }) => setSpeed(Number(currentTarget.value)));
if (part("delete")) part("delete").addEventListener("click", askWhetherToDelete);
addEventListener("hashchange", () => match && goWhereAsked());
if (base) load();
