// The page on which a game is set up: one step at a time, each beside the live picture.

import { renderBadge } from "../badge.js";
import { showPictures } from "../picture.js";
import { whyNot } from "../refusal.js";
import { follow } from "../stream.js";
import { word } from "../words.js";
import { cameraStep, renderView } from "./camera.js";
import { deckStep } from "./deck.js";
import { finishStep } from "./finish.js";
import { playersStep } from "./players.js";
import { rulesStep } from "./rules.js";

const STEPS = { camera: cameraStep, players: playersStep, rules: rulesStep, deck: deckStep, finish: finishStep };
const ORDER = Object.keys(STEPS);
const AGAIN_MS = 1000; // how often it is asked what is seen

const part = (id) => document.getElementById(id);
const language = document.body.dataset.language;
let setup = null;

function stepNow() {
  const asked = location.hash.slice(1);
  return ORDER.includes(asked) ? asked : ORDER[0];
}

function notice(text) {
  part("notice").textContent = text ?? "";
  part("notice").hidden = !text;
}

// Says something to the program and shows what is chosen then; gives back whether it was taken.
async function choose(values) {
  try {
    const answer = await fetch(`/api/setup?language=${language}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ begin: false, ...values }),
    });
    if (!answer.ok) {
      notice(word("press_failed", { why: await whyNot(answer) }));
      return false;
    }
    notice(null);
    await load();
    return true;
  } catch {
    notice(word("disconnected"));
    return false;
  }
}

async function begin(values = {}) {
  if (await choose({ ...values, begin: true })) location.assign("/");
}

async function load() {
  const answer = await fetch(`/api/setup?language=${language}`);
  if (!answer.ok) return notice(await whyNot(answer));
  setup = await answer.json();
  return render();
}

function render() {
  const now = stepNow();
  for (const link of document.querySelectorAll("[data-step]")) {
    if (link.dataset.step === now) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
  part("back").hidden = now === ORDER[0];
  const isLast = now === ORDER.at(-1);
  part("next").textContent = word(isLast ? "setup_begin" : "setup_next");
  part("begin").hidden = isLast || !setup.ready;
  part("next").disabled = isLast && !setup.ready;
  STEPS[now](part("step"), setup, { choose, begin, reload: load });
  renderView(part("marks"), part("seen"), setup.view, now);
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
  render();
  part("step").scrollIntoView({ block: "nearest" });
});

async function look() {
  if (!setup || document.hidden) return;
  try {
    const answer = await fetch("/api/setup/view");
    if (!answer.ok) return;
    setup.view = await answer.json();
    const now = stepNow();
    renderView(part("marks"), part("seen"), setup.view, now);
    if (now === "deck" || now === "players" || now === "camera") STEPS[now](part("step"), setup, { choose, begin, reload: load }, true);
  } catch {
    // the stream tells people that the connection is lost
  }
}

follow(`/api/events?language=${language}`, {
  onMatch: (snapshot) => renderBadge(part("camera"), snapshot.camera),
  onCamera: (camera) => renderBadge(part("camera"), camera),
  onConnection: (connected) => {
    document.body.classList.toggle("disconnected", !connected);
    if (!connected) notice(word("disconnected"));
    else if (part("notice").textContent === word("disconnected")) notice(null);
  },
});
showPictures(part("picture"), () => part("stage").style.setProperty("--ratio", part("picture").width / part("picture").height));
setInterval(look, AGAIN_MS);
load();
