// The second step: who plays, and where. Names lie round the table as the camera sees it and are dragged to their seats.

import { button, element, show } from "../elements.js";
import { breakable, counted, word } from "../words.js";

const MOST = 6;
let names = null; // as they are being arranged; null: as the program has them
let editing = null; // the place whose name is being typed
let isHeld = false;
let trouble = null; // what is wrong with the name that was typed last

const LONGEST = 32; // characters as people count them

function whyNotSo(typed, seats) {
  if (seats.includes(typed)) return word("name_taken", { name: typed });
  const signs = typeof Intl.Segmenter === "undefined" ? [...typed] : [...new Intl.Segmenter().segment(typed)];
  return signs.length > LONGEST ? word("name_long", { n: LONGEST }) : null;
}

function direction(index, count) {
  const angle = Math.PI / 2 + (index * 2 * Math.PI) / count;
  return { x: 50 + 34 * Math.cos(angle), y: 50 + 40 * Math.sin(angle) };
}

function freeName(taken) {
  for (let n = 1; ; n += 1) {
    const name = word("player_n", { n });
    if (!taken.includes(name)) return name;
  }
}

export function playersStep(place, setup, { choose }, isGlance = false) {
  if (isGlance && (isHeld || editing !== null || names)) return;
  const seats = names ?? setup.seats;
  const save = (next) => {
    names = next;
    const again = () => {
      names = null;
      playersStep(place, setup, { choose });
    };
    if (next.length === 1) return playersStep(place, setup, { choose }); // one alone is no game: wait for the second
    return choose({ seats: next, propose: true }).then((taken) => {
      if (taken) names = null;
      again();
    });
  };
  const others = setup.choices.names.filter((name) => !seats.includes(name)).slice(0, 8);
  const hands = setup.view.hands_at.length;
  show(
    place,
    element("h1", {}, word("setup_players_title")),
    element("p", { class: "how" }, word("setup_players_how")),
    element("div", { class: "round" }, ...seats.map((name, index) => chip(name, index, seats, save, place, setup, choose)), element("span", { class: "camera-side" }, word("camera_side"))),
    trouble ? element("p", { class: "bad", role: "alert" }, trouble) : null,
    hands >= 2 && seats.length === 0
      ? button(word("seats_by_hands", { players: counted("players_count", hands) }), () =>
          save(Array.from({ length: hands }, (_, n) => word("player_n", { n: n + 1 }))),
        )
      : null,
    element(
      "div",
      { class: "choices" },
      seats.length < MOST ? button(`+ ${word("add_player")}`, () => save([...seats, freeName(seats)]), { class: "choice" }) : null,
      ...(seats.length < MOST ? others.map((name) => button(`+ ${name}`, () => save([...seats, name]), { class: "choice quiet" })) : []),
    ),
    setup.choices.groups.length
      ? element(
          "div",
          { class: "groups" },
          element("h2", {}, word("as_last_time")),
          ...setup.choices.groups.slice(0, 4).map((group) => button(group.seats.join(", "), () => save(group.seats), { class: "choice quiet" })),
        )
      : null,
  );
}

function chip(name, index, seats, save, place, setup, choose) {
  const { x, y } = direction(index, seats.length);
  const made = element("div", { class: "chip" });
  Object.assign(made.style, { left: `${x}%`, top: `${y}%` });
  if (editing === index) {
    const field = element("input", { value: name, maxlength: 1000, "aria-label": word("player_name") });
    const done = () => {
      if (editing !== index) return;
      editing = null;
      const typed = field.value.trim();
      trouble = typed === name ? null : whyNotSo(typed, seats);
      if (typed && typed !== name && !trouble) save(seats.map((each, place) => (place === index ? typed : each)));
      else playersStep(place, setup, { choose });
    };
    field.addEventListener("blur", done);
    field.addEventListener("keydown", (event) => event.key === "Enter" && done());
    made.append(field);
    setTimeout(() => field.select());
    return made;
  }
  const label = button(breakable(name), () => {}, { class: "name", title: word("player_how") });
  const swapWith = (other) => {
    const next = [...seats];
    [next[index], next[other]] = [next[other], next[index]];
    return save(next);
  };
  label.addEventListener("pointerdown", (event) => drag(event, made, index, seats, swapWith, () => {
    editing = index;
    playersStep(place, setup, { choose });
  }));
  label.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" || event.key === "F2") {
      event.preventDefault();
      editing = index;
      playersStep(place, setup, { choose });
    } else if (step) {
      event.preventDefault();
      swapWith((index + step + seats.length) % seats.length);
    }
  });
  made.append(label, button("×", () => save(seats.filter((each) => each !== name)), { class: "remove", "aria-label": word("remove_player", { name }) }));
  return made;
}

function drag(event, made, index, seats, swapWith, edit) {
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
    if (!moved) return now.type === "pointerup" ? edit() : undefined;
    const at = [((now.clientX - area.left) / area.width) * 100, ((now.clientY - area.top) / area.height) * 100];
    const distances = seats.map((_, other) => {
      const { x, y } = direction(other, seats.length);
      return Math.hypot(x - at[0], y - at[1]);
    });
    const nearest = distances.indexOf(Math.min(...distances));
    return swapWith(nearest);
  };
  event.target.addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) event.target.addEventListener(end, drop);
}
