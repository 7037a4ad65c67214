// The page on which a game is set up: one step at a time, each beside the live picture.

import { renderBadge } from "../badge.js";
import { afterTap, button, element, show } from "../elements.js";
import { showPictures } from "../picture.js";
import { isTaken, notice, showConnection } from "../notice.js";
import { post, whyNot } from "../refusal.js";
import { follow } from "../stream.js";
import { listed, word } from "../words.js";
import { cameraStep, renderView } from "./camera.js";
import { deckStep } from "./deck.js";
import { finishStep, lacking, STEP_OF } from "./finish.js";
import { playersStep } from "./players.js";
import { rulesStep } from "./rules.js";
import { startStep } from "./start.js";

const STEPS = { camera: cameraStep, players: playersStep, rules: rulesStep, deck: deckStep, start: startStep, finish: finishStep };
const FOLLOWS_VIEW = new Set(["camera", "players", "deck", "start"]); // steps that show what the camera sees
const ORDER = Object.keys(STEPS);
const AGAIN_MS = 1000; // how often it is asked what is seen

const part = (id) => document.getElementById(id);
const language = document.body.dataset.language;
let setup = null;

function stepNow() {
  const asked = location.hash.slice(1);
  return ORDER.includes(asked) ? asked : ORDER[0];
}

// Shows a choice at once, before the program has answered; what it answers is shown then.
function showAtOnce(values) {
  const { options } = setup.choices;
  for (const [key, value] of Object.entries(values)) if (key in setup) setup[key] = value;
  if (values.options) for (const each of options) if (each.option in values.options) each.value = values.options[each.option];
  render();
}

// A field in which somebody types is not replaced; what has come meanwhile is shown once it is left.
let shownStep = null;
let isStale = false;

const isTyping = () => part("step").contains(document.activeElement) && document.activeElement.matches("input:not([type=checkbox])");

function draw(isGlance) {
  const now = stepNow();
  isStale = isTyping() && shownStep === now;
  if (isStale && now !== "players") return; // the names keep their own fields
  shownStep = now;
  STEPS[now](part("step"), setup, { choose, begin, reload, latest: () => setup }, isGlance);
}

part("step").addEventListener("focusout", () => afterTap(() => isStale && !isTyping() && draw(false)));

// The camera sees something else: people decide.
function askWhether(values, { kind, text }) {
  location.hash = kind === "pack" ? "rules" : "start";
  notice("press", `${text} `, button(word("insist"), () => (values.begin ? begin({ ...values, insist: true }) : choose({ ...values, insist: true }))));
}

let pending = 0; // requests that the program has not answered; the page shows that it waits

async function waitingFor(request) {
  pending += 1;
  document.body.classList.add("waiting");
  try {
    return await request();
  } catch {
    showConnection(false);
    return false;
  } finally {
    pending -= 1;
    document.body.classList.toggle("waiting", pending > 0);
  }
}

let made = 0; // choices so far: what was asked before the newest one would undo it on the page
let sent = Promise.resolve(); // the program gets choices in their order: a later one holds those before it

// Sends a choice to the program and shows what is chosen then; returns whether it was taken.
async function choose(values) {
  if (setup) showAtOnce(values);
  made += 1;
  const newest = made;
  const sending = sent.then(() => sendChoice(values));
  sent = sending.catch(() => false);
  const isTaken = await waitingFor(() => sending);
  if (made === newest) await reload();
  return isTaken;
}

async function sendChoice(values) {
  const answer = await post(`/api/setup?language=${language}`, { begin: false, ...values });
  const { contradiction } = answer?.ok ? {} : ((await answer?.clone().json().catch(() => null)) ?? {});
  if (contradiction) askWhether(values, contradiction);
  else await isTaken(answer);
  return Boolean(answer?.ok);
}

let condition = null; // of the camera, in the newest message of the live stream
let played = null; // whether a game goes on, in the newest message; null: none has come
const reload = () => waitingFor(load);

// Begins, or lists what is not settled and leads to where the first of it is chosen.
async function begin(values = {}) {
  await waitingFor(async () => {
    await sent;
    await load();
  });
  const needed = lacking(setup);
  if (needed.length) {
    notice("press", needed.map((each) => word(`need_${each}`)).join(" "));
    location.hash = STEP_OF[needed[0]];
    return;
  }
  if (await choose({ ...values, begin: true })) location.assign("/");
}

async function order(what) {
  if (await choose(what)) location.assign("/");
}

async function load() {
  const newest = made;
  const answer = await fetch(`/api/setup?language=${language}`);
  if (!answer.ok) return notice("press", await whyNot(answer));
  const chosen = await answer.json();
  if (made !== newest) return undefined; // the newer choice is followed by an answer of its own
  setup = chosen;
  render();
  return undefined;
}

// The same people play on, the loser deals: one tap. A recording is not followed by a game.
function offersNextGame({ phase, over, source, choices }) {
  const isRecording = choices.sources.some((each) => each.source === source && each.goes_with);
  return phase === "playing" && over && !isRecording;
}

function showWhoPlays() {
  const { under_way: playing, left } = setup;
  const isOver = offersNextGame(setup);
  document.body.classList.toggle("under-way", Boolean(playing));
  const place = part("playing");
  place.hidden = !playing && !left && !isOver;
  if (playing)
    show(
      place,
      element("h1", {}, word("under_way", { names: listed(playing.seats) })),
      element("p", { class: "how" }, word(playing.match ? "under_way_kept" : "under_way_lost")),
      element(
        "div",
        { class: "choices" },
        element("a", { class: "button", href: "/" }, word("under_way_back")),
        button(word("under_way_end"), () => choose({ end: true }), { class: "quiet", id: "end-game" }),
      ),
    );
  else if (isOver) show(place, element("p", {}, word("over_next")), button(word("next_game"), () => order({ next: true }), { class: "quiet", id: "next-game" }));
  else if (left)
    show(
      place,
      element("p", {}, word("left_game", { names: listed(left.seats), time: new Date(left.started).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" }) })),
      button(word("left_resume"), () => (setup.source === null ? notice("press", word("need_source")) : order({ resume: left.match })), { class: "quiet", id: "resume" }),
    );
}

function render() {
  showWhoPlays();
  const now = stepNow();
  for (const link of document.querySelectorAll("[data-step]")) {
    if (link.dataset.step === now) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
  part("back").hidden = now === ORDER[0];
  const isLast = now === ORDER.at(-1);
  part("next").textContent = word(isLast ? "setup_begin" : "setup_next");
  part("begin").hidden = isLast || lacking(setup).length > 0; // a short cut once all is settled
  if (!setup.under_way) afterTap(() => draw(false)); // a field that is left just now has to hand the focus on before
  showView();
}

function showView() {
  renderView(part("marks"), part("seen"), setup, stepNow(), condition);
}

part("next").addEventListener("click", () => {
  const now = stepNow();
  if (now === ORDER.at(-1)) begin();
  else location.hash = ORDER[ORDER.indexOf(now) + 1];
});
part("begin").addEventListener("click", () => begin());
part("back").addEventListener("click", () => {
  location.hash = ORDER[Math.max(0, ORDER.indexOf(stepNow()) - 1)];
});
addEventListener("hashchange", () => {
  if (!setup) return; // the first answer, which is still awaited, is shown at the step of the address
  render();
  part("step").scrollIntoView({ block: "nearest" });
});

async function look() {
  if (!setup || document.hidden) return;
  try {
    const answer = await fetch("/api/setup/view");
    if (!answer.ok) return;
    const { missing, ...view } = await answer.json();
    const isSettled = String(missing) === String(setup.missing);
    Object.assign(setup, { view, missing });
    if (!isSettled && !FOLLOWS_VIEW.has(stepNow())) render();
    if (setup.view.mirrored !== setup.mirrored) reload(); // the camera was recognised as mirrored
    const now = stepNow();
    showView();
    if (FOLLOWS_VIEW.has(now) && !setup.under_way) draw(true);
  } catch {
    // the stream tells people that the connection is lost
  }
}

function onCamera(camera) {
  condition = camera.condition;
  renderBadge(part("camera"), camera);
}

follow(`/api/events?language=${language}`, {
  onMatch: (snapshot) => {
    onCamera(snapshot.camera);
    // A game that begins or ends on another device is shown here, too.
    const goesOn = `${Boolean(snapshot.state.phase)} ${Object.keys(snapshot.rulings).length > 0} ${snapshot.ended}`;
    if (played !== null && goesOn !== played) reload();
    played = goesOn;
  },
  onCamera,
});
showPictures(part("picture"), () => part("stage").style.setProperty("--ratio", part("picture").width / part("picture").height));
setInterval(look, AGAIN_MS);
load();
