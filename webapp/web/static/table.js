// The table page: puts every new snapshot on the page.

import "./board.js";
import "./timeline.js";
import { renderBadge } from "./badge.js";
import { BetweenGames } from "./between_games.js";
import { UNWELL, renderAwaited, renderCall } from "./calls.js";
import { InstantReplay } from "./instant_replay.js";
import { renderMatters, renderQuestion } from "./matters.js";
import { isTaken, notice, showConnection } from "./notice.js";
import { post } from "./refusal.js";
import { drawDialog, newDialog } from "./dialog.js";
import { Sheet } from "./sheet.js";
import { keepScreenOn } from "./screen.js";
import { eventText } from "./event_text.js";
import { toast } from "./toast.js";
import { showPictures } from "./picture.js";
import { callsOf } from "./plays.js";
import { button, element, show, showEach } from "./elements.js";
import { allowSound, canSound, listen, missed } from "./voice.js";
import { follow } from "./stream.js";
import { renderRail } from "./rail.js";
import { rulesName, word } from "./words.js";

const part = (id) => document.getElementById(id);
const board = document.querySelector("k-board");
const [plays, timeline] = [part("calls"), part("timeline")];
const BEGINS_WITHIN_MS = 5000; // a game that does not begin is chosen again: the page leads there by itself
const FALLS_BEHIND = new Set(["slow", "late"]);
const NOTICE_MS = 6000; // how long it is said why something was refused
let fading = 0;
let snapshot = null;
const sheet = new Sheet("/api", () => plays.follow());
const resigning = newDialog(word("resign_who"));

// Between two games there is no position to show.
function showChoosing(next) {
  snapshot = null;
  show(part("call"), element("div", { class: "said" }, element("p", { class: "words" }, word("choosing")), element("p", { class: "more" }, word("choosing_why"))));
  part("call").dataset.tone = "quiet";
  part("turn").textContent = "";
  part("open").hidden = part("question").hidden = part("timeline").hidden = true;
  show(part("buttons"));
  showEach(part("stock"));
  plays.show({ steps: [] });
  board.clear();
  onCamera(next.camera);
  if (document.body.dataset.role === "referee") setTimeout(() => snapshot ?? location.reload(), BEGINS_WITHIN_MS);
}

function fadeNotice() {
  clearTimeout(fading);
  fading = setTimeout(() => notice("press", null), NOTICE_MS);
}

// Sends the program which game comes next. Where the camera sees something else, people decide.
async function order(what) {
  const answer = await post("/api/setup", what);
  const { contradiction } = answer?.ok ? {} : ((await answer?.clone().json().catch(() => null)) ?? {});
  if (!contradiction) {
    fadeNotice();
    return isTaken(answer);
  }
  clearTimeout(fading); // it stays until it is answered
  notice("press", `${contradiction.text} `, button(word("insist"), () => order({ ...what, insist: true })));
  return false;
}

function onMatch(next) {
  if (!next.state.phase) return showChoosing(next);
  snapshot = next;
  part("rules").textContent = next.rules ? rulesName(next.rules) : "";
  part("tone").textContent = next.rules ? word(`tone_${next.tone}`) : "";
  part("tone").dataset.tone = next.tone;
  part("sound").hidden = next.tone !== "hint" || canSound();
  listen(next);
  const said = renderCall(part("call"), next, sheet);
  replay.callIs(part("call").dataset.line);
  replayFaults(next);
  renderQuestion(part("question"), next, sheet, Number(part("call").dataset.line));
  renderMatters(part("open"), next, sheet, said);
  renderRail({ turn: part("turn"), stock: part("stock"), buttons: part("buttons") }, next, stated);
  board.show(next);
  offerToTakeBack(next);
  onCamera(next.camera);
  setTimeout(afterMatch); // on a slow device a tap is heard in between
}

// What can come a moment later than call and felt.
function afterMatch() {
  if (!snapshot) return;
  showPlays();
  setTimeout(followSteps);
}

// The plays so far as the referee believes them now, and what was called on them for everybody to see.
function showPlays() {
  const calls = callsOf(snapshot.view).filter(({ aloud, note }) => aloud && !note);
  plays.show({ steps, calls, corrections: snapshot.corrections, sheet });
  timeline.hidden = steps.length === 0;
  timeline.show({ steps, calls });
}

plays.onPick = timeline.onMark = (line) => sheet.line(line);
timeline.onBout = (line) => plays.mark(line);
const replay = new InstantReplay(part("replay"));
let game = null;
let steps = [];
let asked = 0; // the newest revision that the server has sent
const byLine = new Map();
let isFollowing = false;
let isBehind = false; // a snapshot came after the last request

// A fault that is called, and a play that somebody challenges, are shown once more on every device.
const replayed = new Set();
let isFirst = true;

function replayFaults(next) {
  const { line, tone } = part("call").dataset;
  const isFault = tone === "illegal" || tone === "impossible";
  const call = next.calls.findLast((each) => String(each.of ?? each.line) === line);
  const isChallenge = next.last_event?.event === "pressed" && next.last_event.button === "challenge";
  const key = isChallenge ? `challenge ${next.last_event.at}` : `${next.game} ${line}`;
  const isNew = !replayed.has(key) && !isFirst; // what had been called before this page was opened is over
  isFirst = false;
  if (!isFault && !isChallenge) return;
  replayed.add(key);
  if (!isNew) return;
  if (isChallenge) showChallenged(next, line);
  else replay.playMoment({ at: call?.at, about: line, title: word("replay_fault") });
}

// The last play slowly, with what the referee says of it and how sure it is.
function showChallenged({ calls }, line) {
  const ruling = calls.findLast((call) => call.ruling);
  if (!ruling) return;
  const event = steps.findLast(({ event: each }) => each.event === "placed" && each.at <= (ruling.at ?? 0) + 0.001)?.event;
  const share = ruling.probability ?? event?.confidence;
  const sure = share === undefined ? "" : ` ${word("review_probability", { share: `${Math.round(100 * share)} %` })}`;
  replay.playMoment({ at: ruling.at, about: line, title: word("challenge_title"), verdict: `${word(ruling.ruling)}: ${ruling.text}${sure}`, rate: 0.5 });
}

// Takes the steps that are new, one request at a time: answers that overtake each other would drop steps.
async function followSteps() {
  isBehind = true;
  if (isFollowing) return;
  isFollowing = true;
  while (isBehind) {
    isBehind = false;
    await takeSteps().catch(() => null); // the next snapshot asks for what is missing
  }
  isFollowing = false;
}

async function takeSteps() {
  const answer = await fetch(`/api/steps?after=${asked}`);
  if (!answer.ok) return;
  const newest = await answer.json();
  if ((game !== null && newest.game !== game) || newest.next < asked) { // another game, or another run of the program
    game = null;
    asked = 0;
    byLine.clear();
    steps = [];
    isBehind = true;
    return;
  }
  game = newest.game;
  asked = newest.next;
  for (const step of newest.steps)
    if (step.event) byLine.set(step.line, step);
    else byLine.delete(step.line);
  if (newest.steps.length) steps = [...byLine.values()].sort((one, other) => one.event.at - other.event.at || one.line - other.line);
  if (snapshot) showPlays();
  replay.follow(steps, snapshot?.film);
}

// What is played, asked for once a game: is it a recording, and under which ID is it kept?
let played = { game: null, recording: false, match: null };

async function askWhatIsPlayed(number) {
  played = { ...played, game: number };
  const answer = await fetch("/api/game").catch(() => null);
  if (answer?.ok) played = { game: number, ...(await answer.json()) };
  if (snapshot) renderNextGame(snapshot);
}

// A game at the table is followed by the next one; a recording has an end.
function renderNextGame({ state, camera, game: number }) {
  if (played.game !== number) askWhatIsPlayed(number);
  const isOver = state.result || camera.condition === "ended";
  if (!state.result) {
    clearTimeout(opening);
    [opening, isUntouched] = [0, true];
  }
  const next = isOver ? (played.recording ? afterRecording(camera) : afterGame()) : camera.condition === "given_up" ? afterLoss() : [];
  show(part("next-game"), ...next);
}

// What features offer once a game is over; one opens by itself after a while, unless somebody does something meanwhile.
let isUntouched = true;
let opening = 0;
for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, () => (isUntouched = false), true);

function offeredAfterGame({ isQuiet }) {
  const offered = played.match ? [...(part("after-game")?.content.cloneNode(true).children ?? [])] : [];
  for (const each of offered) {
    each.classList.toggle("quiet", isQuiet);
    each.href = `${each.getAttribute("href").replace("MATCH", encodeURIComponent(played.match))}?table`;
    if (each.dataset.afterS && !opening) opening = setTimeout(() => isUntouched && snapshot?.state.result && location.assign(each.href), 1000 * each.dataset.afterS);
  }
  return offered;
}

const link = (href, label, kind = "button") => element("a", { href, class: kind }, word(label));
const between = new BetweenGames(order);

function afterGame() {
  const review = played.match ? [link(`/matches/${encodeURIComponent(played.match)}`, "review_game", "button quiet")] : [];
  const { series, evening, seats } = snapshot;
  const another = series?.fool.length ? [button(word("series_again", { n: series.to }), () => order({ series: series.to, next: true }))] : [];
  return [
    ...another,
    button(word("next_game"), () => order({ next: true }), another.length ? { class: "quiet" } : {}),
    button(word("seats_next"), () => between.chooseSeats(seats), { class: "quiet" }),
    ...offeredAfterGame({ isQuiet: true }),
    ...review,
    evening.games > 1 ? button(word("evening_end"), () => between.endEvening(snapshot), { class: "quiet" }) : link("/evenings", "evenings_link", "button quiet"),
    link("/setup", "other_game", "button quiet"),
  ];
}

// A camera that stayed away is looked for again, and the game goes on, if it is kept.
function afterLoss() {
  return [played.match ? button(word("look_again"), () => order({ resume: played.match })) : link("/setup", "other_game")];
}

function afterRecording({ condition }) {
  if (condition !== "ended") return []; // the last pictures of it still come
  const review = played.match ? [link(`/matches/${encodeURIComponent(played.match)}`, "review_game")] : [];
  return [...offeredAfterGame({ isQuiet: false }), ...review, button(word("watch_again"), () => order({ again: true }), { class: "quiet" }), link("/setup", "own_table", "button quiet")];
}

function onCamera(camera) {
  if (snapshot) renderNextGame((snapshot = { ...snapshot, camera }));
  if (snapshot) renderAwaited(part("call"), snapshot, sheet);
  if (camera.condition === "ended") onFilm(null); // nothing is filmed any more
  renderBadge(part("camera"), camera, true);
  const { condition, cause } = camera;
  if (snapshot?.state.result && condition !== "stopped") return notice("camera", null); // nothing is missed any more
  if (cause) return notice("camera", word(`camera_${cause}`));
  if (UNWELL.has(condition)) return notice("camera", `${word(`camera_${condition}`)}. ${word(`${condition}_help`)}`);
  const badge = part("camera"); // on narrow screens its words don't stand in the header
  return notice("camera", FALLS_BEHIND.has(badge.dataset.condition) && innerWidth <= 1000 ? badge.querySelector(".text").textContent : null);
}

function onWarnings(warnings) {
  notice("warnings", warnings.length ? warnings.map(({ about }) => word(`warning_${about}`)).join(" ") : null);
}

function onConnection(connected) {
  if (!connected) missed();
  showConnection(connected);
}

// What was pressed here can be taken back for ten seconds, and as long as the match lasts in the list.
let awaited = null; // the press whose line the next snapshots bring

// A statement of the rail; who gives up is asked first.
function stated(statement) {
  if (statement.button !== "resign") return press(statement);
  const resign = (by) => () => {
    resigning.close();
    press({ button: "resign", by });
  };
  const players = snapshot.seats.filter((seat) => !snapshot.state.out.includes(seat));
  const choices = players.map((seat) => button(seat, resign(seat), { class: "plain-choice" }));
  return drawDialog(resigning, word("resign_who"), element("p", { class: "why" }, word("resign_why")), element("div", { class: "choices" }, ...choices));
}

function press(statement) {
  awaited = { button: statement.button, after: snapshot?.presses.at(-1)?.line ?? 0 };
  return send("/api/press", statement);
}

function offerToTakeBack({ presses }) {
  const made = awaited && presses.find(({ line, event }) => line > awaited.after && event.button === awaited.button);
  if (!made) return;
  awaited = null;
  toast(eventText(made.event), () => sheet.send({ line: made.line, to: null }));
}

async function film(on) {
  if (await send("/api/film", { on })) toast(word(on ? "film_on" : "film_off"), () => film(!on));
}

async function send(place, statement) {
  fadeNotice();
  return isTaken(await post(place, statement));
}

// The sign that the table is filmed, for all to see; a referee's tap turns it off, and on again.
function onFilm(isFilming) {
  const sign = part("film");
  sign.hidden = isFilming === null;
  if (!sign.hidden) {
    sign.setAttribute("aria-pressed", String(isFilming));
    sign.querySelector(".text").textContent = word(isFilming ? "film_on" : "film_off");
    sign.title = word(isFilming ? "film_on_help" : "film_off_help");
    sign.disabled = document.body.dataset.role !== "referee";
    sign.onclick = () => film(!isFilming);
  }
  replay.follow(steps, isFilming);
}

keepScreenOn();
part("sound").addEventListener("click", async ({ currentTarget }) => {
  await allowSound();
  currentTarget.hidden = canSound();
});

const language = document.body.dataset.language;
follow(`/api/events?language=${language}`, { onMatch, onCamera, onConnection, onWarnings, onFilm });
showPictures(part("picture"), (number) => {
  part("caption").textContent = word(number === null ? "no_picture" : "picture_note");
});
part("enlarge").addEventListener("click", ({ currentTarget }) => {
  const isLarge = currentTarget.closest("figure").classList.toggle("large");
  currentTarget.setAttribute("aria-pressed", String(isLarge));
});

// Whatever is wrong can be tapped: a card, a call, the number of a hand. Who only watches sees why something was called.
board.addEventListener("click", ({ target }) => {
  const card = target.closest(".bout .card")?.dataset.card;
  if (card) sheet.card(card);
  else if (target.closest(".count") && document.body.dataset.role !== "viewer") sheet.table();
});
part("call").addEventListener("click", ({ target, currentTarget }) => {
  if (target.closest(".said") && currentTarget.dataset.line) sheet.line(Number(currentTarget.dataset.line));
});
if (document.body.dataset.role !== "viewer") {
  part("correct").addEventListener("click", () => sheet.lines());
}
