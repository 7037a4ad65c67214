// The second step: who plays, and where. Names lie round the table as the camera sees it and are dragged to their seats.
// What is arranged here stays until the program has it: no answer of the program replaces a name that is being typed.

import { afterTap, button, element, show } from "../elements.js";
import { breakable, counted, word } from "../words.js";

const MOST = 6;
const LONGEST = 32; // characters as people count them

let shown = null; // {place, setup, choose}, as the page gave them last
let names = null; // as they are being arranged; null: as the program has them
let unsent = 0; // arrangements that the program has not answered
let field = null; // the place whose name is being typed: {index, isNew, isOffered}; offered: it goes unless a name is typed
let isHeld = false;
let isLeaving = false; // a tap has just ended the typing: it meets the page as it was, which is drawn anew thereafter
let trouble = null; // what is wrong with the name that was typed last

function whyNotSo(typed, seats) {
  if (seats.includes(typed)) return word("name_taken", { name: typed });
  const signs = typeof Intl.Segmenter === "undefined" ? [...typed] : [...new Intl.Segmenter().segment(typed)];
  return signs.length > LONGEST ? word("name_long", { n: LONGEST }) : null;
}

function direction(index, count) {
  const angle = Math.PI / 2 + (index * 2 * Math.PI) / count;
  return { x: 50 + 34 * Math.cos(angle), y: 50 + 40 * Math.sin(angle) };
}

// A name is kept, and holds none of the signs that give a sentence from right to left its order.
const usualName = (n) => word("player_n", { n }).replace(/[\u2066-\u2069]/g, "");

function freeName(taken) {
  for (let n = 1; ; n += 1) {
    const name = usualName(n);
    if (!taken.includes(name)) return name;
  }
}

const seatsNow = () => names ?? shown.setup.seats;
const isShown = () => shown.place.querySelector(".round") !== null; // not while another step is on the page

// Keeps the names here and sends them; one alone is no game: it waits for the second.
async function save(next) {
  names = next;
  draw();
  if (next.length === 1) return;
  unsent += 1;
  const isTaken = await shown.choose({ seats: next, propose: true });
  unsent -= 1;
  if (unsent === 0 && isTaken && names === next) names = null;
  if (!field && isShown()) draw();
}

function add(isOffered) {
  finishTyping();
  isLeaving = false;
  const seats = seatsNow();
  if (seats.length >= MOST) return;
  field = { index: seats.length, isNew: true, isOffered };
  if (isOffered) draw();
  else save([...seats, freeName(seats)]);
}

// Takes what was typed; says whether it is a name now.
function finishTyping() {
  if (!field) return false;
  const { index, isNew, isOffered } = field;
  const typed = shown.place.querySelector(".chip input").value.trim();
  const seats = seatsNow();
  const name = isOffered ? "" : seats[index];
  field = null;
  trouble = typed && typed !== name ? whyNotSo(typed, seats) : null;
  if (!typed || typed === name || trouble) {
    draw();
    return isNew && !trouble && Boolean(typed);
  }
  save(isOffered ? [...seats, typed] : seats.map((each, place) => (place === index ? typed : each)));
  return true;
}

function edit(index) {
  finishTyping();
  isLeaving = false;
  field = { index, isNew: false, isOffered: false };
  draw();
}

export function playersStep(place, setup, { choose }, isGlance = false) {
  shown = { place, setup, choose };
  const isHere = isShown();
  if (isHere && (isHeld || field || (isGlance && names))) return;
  if (!isHere) [field, trouble, isLeaving] = [null, null, false];
  draw();
}

function leave() {
  isLeaving = true;
  finishTyping();
  afterTap(() => {
    if (!isLeaving) return;
    isLeaving = false;
    if (isShown()) draw();
  });
}

function draw() {
  if (isLeaving) return;
  const { place, setup } = shown;
  const seats = seatsNow();
  const others = setup.choices.names.filter((name) => !seats.includes(name)).slice(0, 8);
  const hands = setup.view.hands_at.length;
  const hasRoom = seats.length < MOST;
  const count = seats.length + (field?.isOffered ? 1 : 0);
  show(
    place,
    element("h1", {}, word("setup_players_title")),
    element("p", { class: "how" }, word("setup_players_how")),
    setup.choices.groups.length
      ? element(
          "div",
          { class: "groups" },
          element("h2", {}, word("as_last_time")),
          ...setup.choices.groups.slice(0, 4).map((group) => button(group.seats.join(", "), () => save(group.seats), { class: "choice quiet" })),
        )
      : null,
    element(
      "div",
      { class: "round" },
      ...Array.from({ length: count }, (_, index) => (field?.index === index ? typing(index, count) : chip(seats[index], index, count))),
      element("span", { class: "camera-side" }, word("camera_side")),
    ),
    trouble ? element("p", { class: "bad", role: "alert" }, trouble) : null,
    hands >= 2 && seats.length === 0
      ? button(word("seats_by_hands", { players: counted("players_count", hands) }), () =>
          save(Array.from({ length: hands }, (_, n) => usualName(n + 1))),
        )
      : null,
    element(
      "div",
      { class: "choices" },
      hasRoom ? button(`+ ${word("add_player")}`, () => add(false), { class: "choice" }) : null,
      ...(hasRoom ? others.map((name) => button(`+ ${name}`, () => save([...seatsNow(), name]), { class: "choice quiet" })) : []),
    ),
  );
  const input = place.querySelector(".chip input");
  if (input && document.activeElement !== input) input.select();
}

function placed(made, index, count) {
  const { x, y } = direction(index, count);
  Object.assign(made.style, { left: `${x}%`, top: `${y}%` });
  return made;
}

// The field of a name. Enter in that of a new player opens the next one's, so that a family is typed in one go.
function typing(index, count) {
  const { isNew, isOffered } = field;
  const value = isOffered ? "" : seatsNow()[index];
  const input = element("input", { value, placeholder: usualName(index + 1), maxlength: 1000, autocomplete: "off", enterkeyhint: "next", "aria-label": word("player_name") });
  input.addEventListener("blur", () => field?.index === index && leave());
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    if (event.key === "Escape") input.value = value;
    if (finishTyping() && isNew && event.key === "Enter") add(true);
    else shown.place.querySelectorAll(".chip .name")[index]?.focus();
  });
  return placed(element("div", { class: "chip" }, input), index, count);
}

function chip(name, index, count) {
  const label = button(breakable(name), () => {}, { class: "name", title: word("player_how") });
  const swapWith = (other) => {
    const next = [...seatsNow()];
    [next[index], next[other]] = [next[other], next[index]];
    return save(next);
  };
  const made = placed(element("div", { class: "chip" }), index, count);
  label.addEventListener("pointerdown", (event) => drag(event, made, index, count, swapWith));
  label.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" || event.key === "F2") {
      event.preventDefault();
      edit(index);
    } else if (step) {
      event.preventDefault();
      swapWith((index + step + count) % count);
    }
  });
  made.append(label, button("×", () => save(seatsNow().filter((each) => each !== name)), { class: "remove", "aria-label": word("remove_player", { name }) }));
  return made;
}

function drag(event, made, index, count, swapWith) {
  if (event.button > 0) return;
  const area = made.parentElement.getBoundingClientRect();
  const from = [event.clientX, event.clientY];
  let moved = false;
  isHeld = true;
  event.target.setPointerCapture(event.pointerId);
  const move = (now) => {
    moved ||= Math.hypot(now.clientX - from[0], now.clientY - from[1]) > 10;
    if (!moved) return;
    made.classList.add("held");
    made.style.left = `${((now.clientX - area.left) / area.width) * 100}%`;
    made.style.top = `${((now.clientY - area.top) / area.height) * 100}%`;
  };
  const drop = (now) => {
    event.target.removeEventListener("pointermove", move);
    for (const end of ["pointerup", "pointercancel"]) event.target.removeEventListener(end, drop);
    isHeld = false;
    if (!moved) return now.type === "pointerup" ? edit(index) : undefined;
    const at = [((now.clientX - area.left) / area.width) * 100, ((now.clientY - area.top) / area.height) * 100];
    const distances = Array.from({ length: count }, (_, other) => {
      const { x, y } = direction(other, count);
      return Math.hypot(x - at[0], y - at[1]);
    });
    const nearest = distances.indexOf(Math.min(...distances));
    return swapWith(nearest);
  };
  event.target.addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) event.target.addEventListener(end, drop);
}
