// The page on which people drag seats, talon, heap and the bout's zone to where they are.

import { renderBadge } from "./badge.js";
import { button, element, show, svgElement } from "./elements.js";
import { isTaken } from "./notice.js";
import { showPictures } from "./picture.js";
import { post } from "./refusal.js";
import { follow } from "./stream.js";
import { word } from "./words.js";
import { middle, parked, rimPoint, swapped, turnAt } from "./zones.js";

const part = (id) => document.getElementById(id);
const AGAIN_MS = 1000; // how often it is asked what the pipeline has found since
const REST_MS = 450; // keys are let to come to rest before their place is sent
const STEP = 0.01; // of the picture, for each press of an arrow key
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const PILES = ["talon", "heap"];
const MARKED = [[0.22, 0.2], [0.78, 0.2], [0.78, 0.8], [0.22, 0.8]]; // the bout's zone that is suggested

let zones = null; // as the referee has them, and as they are being dragged
let isHeld = false; // is a handle under a finger?
let resting = 0; // the timer of a place that was moved by keys and is not sent yet

const within = (value) => Math.min(Math.max(value, 0), 1);

// --- the handles: "talon", "heap", "corner 0" to "corner 3", "seat NAME"

function seatOf(name) {
  return zones.seats.find((each) => `seat ${each.seat}` === name);
}

function cornerOf(name) {
  return Number(name.slice("corner ".length));
}

function where(name) {
  if (PILES.includes(name)) return zones[name].at ?? (zones[name].outline ? middle(zones[name].outline) : parked(name));
  const seat = seatOf(name);
  return seat ? rimPoint(zones, seat.turn_deg) : zones.bout.corners[cornerOf(name)];
}

function moveTo(name, at) {
  if (PILES.includes(name)) Object.assign(zones[name], { at, said: true });
  else if (seatOf(name)) Object.assign(seatOf(name), { turn_deg: turnAt(zones, at), said: true });
  else {
    zones.bout.corners[cornerOf(name)] = at;
    zones.bout.said = true;
  }
}

// What to say to the referee of a handle that came to rest; `before`: all zones before it was taken up.
function said(name, before) {
  if (PILES.includes(name)) return { [name]: zones[name].at };
  const seat = seatOf(name);
  return seat ? { seats: swapped(zones.seats, seat.seat, before) } : { bout: zones.bout.corners };
}

function shareOf({ clientX, clientY }) {
  const box = part("stage").getBoundingClientRect();
  return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
}

function take(event, name, handle) {
  if (!zones || event.button > 0) return;
  const before = structuredClone(zones);
  const [grip, at] = [shareOf(event), where(name)]; // nothing jumps when it is taken up beside its middle
  isHeld = true;
  handle.setPointerCapture(event.pointerId);
  handle.classList.add("held");
  const move = (event) => {
    moveTo(name, shareOf(event).map((value, k) => within(at[k] + value - grip[k])));
    draw();
  };
  const drop = ({ type }) => {
    handle.removeEventListener("pointermove", move);
    for (const end of ["pointerup", "pointercancel"]) handle.removeEventListener(end, drop);
    handle.classList.remove("held");
    isHeld = false;
    if (type === "pointercancel") zones = before;
    else if (JSON.stringify(before) !== JSON.stringify(zones)) send(said(name, before.seats));
    draw();
  };
  handle.addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, drop);
}

function nudge(event, name) {
  const step = ARROWS[event.key];
  if (!step || !zones) return;
  event.preventDefault();
  moveTo(name, where(name).map((value, k) => within(value + step[k] * STEP)));
  draw();
  clearTimeout(resting);
  resting = setTimeout(() => {
    resting = 0;
    send(said(name, null));
  }, REST_MS);
}

// --- what is drawn

const handles = new Map();

function place(name, kind, text, state) {
  if (!handles.has(name)) {
    const made = button(text, () => {}, { class: `handle ${kind}` });
    made.addEventListener("pointerdown", (event) => take(event, name, made));
    made.addEventListener("keydown", (event) => nudge(event, name));
    part("handles").append(made);
    handles.set(name, made);
  }
  const handle = handles.get(name);
  handle.hidden = false;
  const stage = part("stage");
  const [wide, tall] = [handle.offsetWidth / 2 / stage.clientWidth, handle.offsetHeight / 2 / stage.clientHeight];
  const inset = [kind === "corner" ? 0.02 : wide, kind === "seat-at" ? tall : 0.02]; // a name stays whole on the picture
  const [x, y] = where(name).map((value, k) => Math.min(Math.max(value, inset[k]), 1 - inset[k]));
  handle.style.left = `${x * 100}%`;
  handle.style.top = `${y * 100}%`;
  handle.dataset.state = state;
  handle.classList.toggle("above", y > 0.75);
  handle.setAttribute("aria-label", `${text}: ${word(`zone_${state}`)}`);
}

function draw() {
  if (!zones) return;
  const rows = [];
  for (const { seat, said: wasSaid } of zones.seats) {
    const state = wasSaid ? "said" : "spread";
    place(`seat ${seat}`, "seat-at", seat, state);
    rows.push(row(seat, state, word("zone_even"), { seats: { [seat]: null } }));
  }
  for (const name of PILES) {
    const state = zones[name].said ? "said" : zones[name].outline ? "found" : "open";
    place(name, "pile-at", word(name), state);
    rows.push(row(word(name), state, word("zone_find"), { [name]: null }));
  }
  if (zones.bout.said) zones.bout.corners.forEach((_, k) => place(`corner ${k}`, "corner", `${word("zone_bout")} ${k + 1}`, "said"));
  else for (const [name, handle] of handles) handle.hidden ||= name.startsWith("corner ");
  rows.push(row(word("zone_bout"), zones.bout.said ? "said" : "everywhere", word("zone_anywhere"), { bout: null }));
  const piles = isHeld ? [] : PILES.map((name) => zones[name].outline).filter(Boolean);
  const bout = zones.bout.said ? [outline(zones.bout.corners, "bout")] : [];
  show(part("outlines"), ...piles.map((corners) => outline(corners, "pile")), ...bout);
  show(part("zones"), ...rows);
  part("all").disabled = !rows.some((each) => each.dataset.state === "said");
}

function outline(corners, kind) {
  return svgElement("polygon", { points: corners.map((corner) => corner.join(",")).join(" "), class: kind });
}

function row(name, state, undo, undone) {
  const made = element("li", { "data-state": state }, element("b", {}, name), element("span", {}, word(`zone_${state}`)));
  if (state === "said") {
    made.append(button(undo, () => send(undone), { class: "quiet", "aria-label": `${name}: ${undo}` }));
  }
  if (state === "everywhere") made.append(button(word("zone_mark"), () => send({ bout: MARKED }), { class: "quiet" }));
  return made;
}

// --- to the referee and back

async function send(values) {
  await isTaken(await post("/api/zones", values));
  await ask();
}

async function ask() {
  const isBusy = () => isHeld || resting;
  if (isBusy()) return;
  try {
    const answer = await fetch("/api/zones");
    if (answer.status !== 200) return;
    const newest = await answer.json();
    if (isBusy()) return;
    zones = newest;
    part("waiting").hidden = true;
    draw();
  } catch {
    // the stream tells people that the connection is lost
  }
}

const onCamera = (camera) => renderBadge(part("camera"), camera);

function onMatch(snapshot) {
  onCamera(snapshot.camera);
  if (snapshot.state.phase === "still") part("waiting").textContent = word("zones_none");
}

part("all").addEventListener("click", () => send({ seats: null, talon: null, heap: null, bout: null }));
follow(`/api/events?language=${document.body.dataset.language}`, { onMatch, onCamera });
showPictures(part("picture"), () => {
  const { width, height } = part("picture");
  part("stage").style.setProperty("--ratio", width / height);
  if (part("waiting").textContent === word("no_picture")) part("waiting").textContent = word("starting");
});
setInterval(ask, AGAIN_MS);
ask();
