// The table page: puts every new snapshot on the page.

import { renderBadge } from "./badge.js";
import { renderCall, renderCalls } from "./calls.js";
import { renderFilm } from "./film_sign.js";
import { InstantReplay } from "./instant_replay.js";
import { renderMatters } from "./matters.js";
import { renderQuestion } from "./question.js";
import { whyNot } from "./refusal.js";
import { Sheet } from "./sheet.js";
import { Timeline } from "./timeline.js";
import { keepScreenOn } from "./screen.js";
import { showPictures } from "./picture.js";
import { button, element, show, showEach } from "./elements.js";
import { allowSound, canSound, listen, missed } from "./voice.js";
import { follow } from "./stream.js";
import { clearFelt, renderFelt, renderRail } from "./felt.js";
import { rulesName, word } from "./words.js";

const part = (id) => document.getElementById(id);
const felt = document.querySelector(".felt");
const BEGINS_WITHIN_MS = 5000; // a game that does not begin is chosen anew: the page leads there by itself
const UNWELL = new Set(["hidden", "swaying", "lost", "given_up", "stopped"]);
let snapshot = null;
const sheet = new Sheet("/api");

// Between two games there is no position to show.
function showChoosing(next) {
  snapshot = null;
  show(part("call"), element("div", { class: "said" }, element("p", { class: "words" }, word("choosing")), element("p", { class: "more" }, word("choosing_why"))));
  part("call").dataset.tone = "quiet";
  part("turn").textContent = "";
  part("open").hidden = part("question").hidden = part("timeline").hidden = true;
  show(part("buttons"));
  showEach(part("stock"));
  showEach(part("calls"));
  clearFelt(felt);
  onCamera(next.camera);
  if (document.body.dataset.role === "referee") setTimeout(() => snapshot ?? location.reload(), BEGINS_WITHIN_MS);
}

// Once a game is over the next is one tap away.
async function nextGame() {
  try {
    const answer = await fetch("/api/setup", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ next: true }),
    });
    if (!answer.ok) notice("press", word("press_failed", { why: await whyNot(answer) }));
  } catch {
    notice("press", word("disconnected"));
  }
}

function onMatch(next) {
  if (!next.state.phase) return showChoosing(next);
  snapshot = next;
  part("rules").textContent = next.rules ? rulesName(next.rules) : "";
  part("tone").textContent = next.rules ? word(`tone_${next.tone}`) : "";
  part("tone").dataset.tone = next.tone;
  part("sound").hidden = next.tone !== "hint" || canSound();
  listen(next);
  const said = renderCall(part("call"), next, press);
  replay.callIs(part("call").dataset.line);
  renderQuestion(part("question"), next, sheet, press, Number(part("call").dataset.line));
  renderMatters(part("open"), next, press, said);
  renderRail({ turn: part("turn"), stock: part("stock"), buttons: part("buttons") }, next, press);
  renderFelt(felt, next);
  onCamera(next.camera);
  setTimeout(afterMatch); // on a slow device a tap is heard in between
}

// What can come a moment later than call and felt.
function afterMatch() {
  if (!snapshot) return;
  renderCalls(part("calls"), snapshot);
  if (snapshot.tone === "call") setTimeout(followLines);
}

// The lines of the game so far, as many as were asked for.
const timeline = new Timeline(part("timeline"), ({ line }) => sheet.line(line));
const replay = new InstantReplay(part("replay"));
let game = null;
let lines = [];

async function followLines() {
  const answer = await fetch(`/api/lines?after=${lines.length}`).catch(() => null);
  if (!answer?.ok) return;
  const newest = await answer.json();
  if (newest.game !== game && game !== null) {
    game = null;
    lines = [];
    await followLines();
    return;
  }
  if (newest.next === lines.length + newest.lines.length) lines.push(...newest.lines);
  game = newest.game;
  timeline.draw(lines);
  replay.follow(lines, snapshot?.film);
}

function renderNextGame({ state, camera }) {
  const isOver = state.result || camera.condition === "ended";
  show(
    part("next-game"),
    ...(isOver
      ? [button(word("next_game"), nextGame), element("a", { href: "/setup", class: "button" }, word("other_game")), element("a", { href: "/evenings", class: "button" }, word("evenings_link"))]
      : []),
  );
}

function onCamera(camera) {
  if (snapshot) renderNextGame({ ...snapshot, camera });
  renderBadge(part("camera"), camera);
  const { condition, trouble, cause } = camera;
  const why = condition === "stopped" && trouble ? ` (${trouble})` : "";
  if (cause) return notice("camera", word(`camera_${cause}`));
  return notice("camera", UNWELL.has(condition) ? `${word(`camera_${condition}`)}. ${word(`${condition}_help`)}${why}` : null);
}

function onWarnings(warnings) {
  notice("warnings", warnings.length ? warnings.map(({ about }) => word(`warning_${about}`)).join(" ") : null);
}

// One line for whatever stands between the players and the referee; the newest trouble wins, the connection above all.
const troubles = new Map();

function notice(kind, text) {
  if (text === null) troubles.delete(kind);
  else troubles.set(kind, text);
  const line = troubles.get("connection") ?? troubles.get("press") ?? troubles.get("camera") ?? troubles.get("warnings") ?? "";
  const place = part("notice");
  if (place.textContent !== line) place.textContent = line;
  place.hidden = line === "";
}

function onConnection(connected) {
  document.body.classList.toggle("disconnected", !connected);
  if (!connected) missed();
  notice("connection", connected ? null : word("disconnected"));
}

const press = (statement) => send("/api/press", statement);

async function send(place, statement) {
  try {
    const answer = await fetch(place, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(statement),
    });
    notice("press", answer.ok ? null : word("press_failed", { why: await whyNot(answer) }));
  } catch {
    notice("press", word("disconnected"));
  }
  setTimeout(() => notice("press", null), 6000);
}

function onFilm(film) {
  renderFilm(part("film"), film, (on) => send("/api/film", { on }));
  replay.follow(lines, film);
}

keepScreenOn();
part("sound").addEventListener("click", async ({ currentTarget }) => {
  await allowSound();
  currentTarget.hidden = canSound();
});

const language = document.body.dataset.language;
follow(`/api/events?language=${language}`, { onMatch, onCamera, onConnection, onWarnings, onFilm });
showPictures(part("picture"), () => {
  part("caption").textContent = word("picture_note");
});
part("enlarge").addEventListener("click", ({ currentTarget }) => {
  const isLarge = currentTarget.closest("figure").classList.toggle("large");
  currentTarget.setAttribute("aria-pressed", String(isLarge));
});

// Whatever is wrong can be tapped: a card, a call, the number of a hand. Who only watches is told why something was called.
part("bout").addEventListener("click", ({ target }) => {
  const card = target.closest(".card")?.dataset.card;
  if (card) sheet.card(card);
});
part("calls").addEventListener("click", ({ target }) => {
  const line = target.closest("li[data-line]")?.dataset.line;
  if (line) sheet.line(Number(line));
});
part("call").addEventListener("click", ({ target, currentTarget }) => {
  if (target.closest(".said") && currentTarget.dataset.line) sheet.line(Number(currentTarget.dataset.line));
});
if (document.body.dataset.role !== "viewer") {
  part("seats").addEventListener("click", ({ target }) => {
    if (target.closest(".count")) sheet.table();
  });
  part("correct").addEventListener("click", () => sheet.lines());
}
