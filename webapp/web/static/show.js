// A television: board, headline and counts, and the film of the last fault; nothing to press.

import "./board.js";
import { UNWELL, renderAwaited, renderCall } from "./calls.js";
import { element, show } from "./elements.js";
import { playSecond } from "./film_second.js";
import { notice } from "./notice.js";
import { renderRail } from "./rail.js";
import { keepScreenOn } from "./screen.js";
import { follow } from "./stream.js";
import { word } from "./words.js";

const FILM_TRIES = 8; // the film reaches a fault a moment after it was called
const FILM_EVERY_MS = 700;
const light = matchMedia("(prefers-color-scheme: light)");
const part = (id) => document.getElementById(id);
const board = document.querySelector("k-board");
const [fault, nothing] = [part("fault"), element("div")];
const video = fault.querySelector("video");
let newest = null; // the snapshot of the game that is shown
let shownFault = ""; // the game and line of the fault whose film is shown

function colour() {
  document.documentElement.dataset.theme = light.matches ? "light" : "dark";
}

// The newest fault that was called in this game, a few times over and then still.
async function showFault({ game, calls }) {
  const call = calls.findLast(({ ruling, aloud }) => aloud && (ruling === "illegal" || ruling === "impossible"));
  const key = call ? `${game} ${call.of ?? call.line}` : "";
  if (key === shownFault) return;
  shownFault = key;
  fault.hidden = true;
  if (!call) return;
  fault.querySelector("figcaption").textContent = call.text;
  for (let tries = 0; tries < FILM_TRIES && shownFault === key; tries += 1) {
    if (await playSecond(fault, video, "/api", call.at)) return;
    await new Promise((done) => setTimeout(done, FILM_EVERY_MS));
  }
}

function onMatch(snapshot) {
  document.body.dataset.ready = "yes";
  newest = snapshot.state.phase ? snapshot : null;
  if (!newest) {
    board.clear();
    fault.hidden = true;
    part("turn").textContent = "";
    part("stock").replaceChildren();
    return show(part("call"), element("div", { class: "said" }, element("p", { class: "words" }, word("choosing"))));
  }
  renderCall(part("call"), snapshot, null);
  board.show(snapshot);
  renderRail({ turn: part("turn"), stock: part("stock"), buttons: nothing }, snapshot, () => {});
  return showFault(snapshot);
}

function onCamera(camera) {
  const { condition, cause } = camera;
  notice("camera", UNWELL.has(condition) ? word(cause ? `camera_${cause}` : `camera_${condition}`) : null);
  if (newest) renderAwaited(part("call"), { ...newest, camera }, null);
}

colour();
light.addEventListener("change", colour);
keepScreenOn();
follow(`/api/events?language=${document.body.dataset.language}`, { onMatch, onCamera });
