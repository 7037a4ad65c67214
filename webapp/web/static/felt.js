// The felt: players round the table, the bout between them, and the rail with whose turn it is, talon and trump.

import { cardFace, isRed, symbol } from "./cards.js";
import { button, element, show } from "./elements.js";
import { resultLine } from "./result.js";
import { roomForBout } from "./room.js";
import { showsMatters } from "./tone.js";
import { turnLine } from "./turn.js";
import { cardsCounted, word } from "./words.js";

const BACKS_SHOWN = 6; // a hand of the usual size; more would only say what the number says
const WIDEST_CARD = 112;
const TALL = 1.15; // a felt less wide than this times its height has its seats in two columns
const SMALLEST_NAME = 10; // px
const LONG_LINE = 26; // letters from which the line of whose turn it is grows smaller: the table needs the room

export function renderFelt(felt, snapshot) {
  const { seats, state } = snapshot;
  renderSeats(felt.querySelector(".seats"), seats, state);
  renderBout(felt.querySelector(".bout"), snapshot);
  placeBout(felt);
  renderEnding(felt.querySelector(".ending"), snapshot);
  renderArrow(felt, seats, state);
}

// Seats sit as the camera sees them: the first at the bottom edge, the others clockwise, evenly by angle. The circle is
// pushed out towards the corners, where a rectangular page has the room.
function onCircle(index, count) {
  const angle = Math.PI / 2 + (index * 2 * Math.PI) / count;
  const out = (value) => Math.sign(value) * Math.sqrt(Math.abs(Math.round(value * 1e6) / 1e6));
  return { x: out(Math.cos(angle)), y: out(Math.sin(angle)) };
}

// Five and six sit in rows, in the same order, so that their names keep their size and the bout has the middle.
const ROWS = {
  wide: { 5: [[0, 1], [-1, 1], [-0.55, -1], [0.55, -1], [1, 1]], 6: [[0, 1], [-1, 1], [-1, -1], [0, -1], [1, -1], [1, 1]] },
  tall: { 5: [[0, 1], [-1, 0.6], [-1, -1], [1, -1], [1, 0.6]], 6: [[0, 1], [-1, 0.6], [-1, -0.6], [0, -1], [1, -0.6], [1, 0.6]] },
};

function direction(index, count, shape) {
  const [x, y] = ROWS[shape][count]?.[index] ?? [];
  return x === undefined ? onCircle(index, count) : { x, y };
}

function role(seat, state) {
  const { result, phase, attacker, defender, entitled, due, out } = state;
  if (result) {
    if (!result.seats.includes(seat)) return { text: "", kind: "rests" };
    const lost = result.kind.endsWith("fool");
    return { text: word(lost ? "fool_badge" : "winner_badge"), kind: lost ? "fool" : "wins" };
  }
  if (out.includes(seat)) return { text: word("out_badge"), kind: "out" };
  const owed = due.find(([name]) => name === seat);
  if (phase === "draw" && owed) return { text: word("draws", { n: owed[1] }), kind: due[0][0] === seat ? "acts" : "waits" };
  if (phase === "draw" || phase === "lead") return { text: "", kind: "rests" };
  if (seat === defender) return { text: word(phase === "take" ? "takes" : "defends"), kind: "defends" };
  if (seat === attacker) return { text: word("attacks"), kind: "acts" };
  if (entitled.includes(seat)) return { text: word("may_throw"), kind: "waits" };
  return { text: "", kind: "rests" };
}

function renderSeats(place, seats, state) {
  const felt = place.parentElement;
  place.dataset.count = seats.length;
  place.dataset.shape = felt.clientWidth < felt.clientHeight * TALL ? "tall" : "wide";
  show(
    place,
    ...seats.map((seat) => {
      const { text, kind } = role(seat, state);
      const held = state.hands[seat] ?? null;
      const backs = Array.from({ length: Math.min(held ?? 0, BACKS_SHOWN) }, () => element("i"));
      return element(
        "li",
        { class: "seat", "data-role": kind, "data-seat": seat },
        element("span", { class: "hand", "aria-hidden": "true" }, ...backs),
        element(
          "div",
          { class: "plate" },
          element("span", { class: "name" }, seat),
          element("b", { class: "count" }, held === null ? "?" : String(held)),
          element("span", { class: "aloud" }, held === null ? "" : cardsCounted(held)),
          element("span", { class: "role" }, text),
        ),
      );
    }),
  );
  fanHands(place);
  [...place.children].forEach((seat, index) => {
    const { x, y } = direction(index, seats.length, place.dataset.shape);
    seat.style.setProperty("--x", x.toFixed(4));
    seat.style.setProperty("--y", y.toFixed(4));
  });
  fitNames(place);
}

// No name is cut off: one that would be is written smaller, by as much as it takes.
function fitNames(place) {
  const isCut = (name, line) => name.scrollHeight > name.clientHeight + line / 2 || name.scrollWidth > name.clientWidth + 1;
  const names = [...place.querySelectorAll(".name")];
  for (const name of names) name.style.removeProperty("font-size");
  const sizes = names.map((name) => parseFloat(getComputedStyle(name).fontSize)); // all is read before anything is written
  const cut = names.map((name, index) => [name, sizes[index]]).filter(([name, size]) => isCut(name, size));
  for (const [name, line] of cut)
    for (let size = line - 1; size >= SMALLEST_NAME && isCut(name, line); size -= 1) name.style.fontSize = `${size}px`;
}

// Backs fan out above each name like a hand of cards.
function fanHands(place) {
  for (const hand of place.querySelectorAll(".hand")) {
    const middle = (hand.children.length - 1) / 2;
    [...hand.children].forEach((back, index) => back.style.setProperty("--turn", String(index - middle)));
  }
}

function pair(attack, defence, mark = "") {
  const label = defence === null ? word("unbeaten") : word("beaten_by");
  return element(
    "li",
    { class: `pair ${defence ? "beaten" : "standing"} ${mark}`.trim() },
    cardFace(attack, "attack"),
    element("span", { class: "aloud" }, label),
    defence ? cardFace(defence, "defence") : null,
  );
}

// Cards of open matters lie on the table too, though not in the game: shown, and marked where that is for all to see.
function lying({ table, open }, marked) {
  const pairs = table.map(([attack, defence]) => [attack, defence, ""]);
  const laid = new Set(table.flat());
  for (const matter of open)
    for (const card of matter.cards.filter((each) => !laid.has(each))) {
      const under = marked ? null : pairs.find(([attack, defence]) => attack === matter.on && defence === null);
      if (under) under[1] = card;
      else pairs.push([card, null, marked ? `disputed ${matter.ruling}` : ""]);
    }
  return pairs;
}

function renderBout(place, snapshot) {
  const { state } = snapshot;
  const pairs = lying(state, showsMatters(snapshot)).map(([attack, defence, mark]) => pair(attack, defence, mark));
  place.classList.toggle("over", state.result !== null);
  show(place, ...pairs);
}

function box(seat, around, margin) {
  const { left, top, right, bottom } = seat.getBoundingClientRect();
  return {
    left: left - around.left - margin,
    top: top - around.top - margin,
    right: right - around.left + margin,
    bottom: bottom - around.top + margin,
  };
}

function placeBout(felt) {
  const bout = felt.querySelector(".bout");
  const around = felt.getBoundingClientRect();
  const seats = [...felt.querySelectorAll(".seat")].map((seat) => box(seat, around, 0));
  const room = roomForBout(around, seats, bout.children.length, WIDEST_CARD);
  bout.style.setProperty("left", `${room.left + (room.right - room.left - room.width) / 2}px`);
  bout.style.setProperty("top", `${room.top}px`);
  bout.style.setProperty("width", `${room.width}px`); // just wide enough for a row, so that rows break where they should
  bout.style.setProperty("height", `${room.bottom - room.top}px`);
  bout.style.setProperty("--card-w", `${Math.floor(room.card)}px`);
}

// The score of the whole evening where it is known, else that of this match.
function scoreLine({ evening, calls }) {
  if (evening?.games)
    return word("evening_line", { losses: Object.entries(evening.lost).map(([name, lost]) => `\u2068${name}\u2069\u00a0${lost}`).join(" · ") });
  return calls.findLast((call) => call.announce === "score")?.text;
}

function renderEnding(place, snapshot) {
  const { result } = snapshot.state;
  place.hidden = result === null;
  if (result === null) return show(place);
  const score = scoreLine(snapshot);
  place.dataset.kind = result.kind;
  const crown = element("span", { class: "emblem", "aria-hidden": "true" });
  return show(place, crown, element("p", {}, resultLine(result)), score ? element("p", { class: "score" }, score) : null);
}

const STEPS = 60; // of the arrow's curve: fine enough to find where it leaves one seat and meets the other
const HEAD = 26;

function isInside({ left, top, right, bottom }, [x, y]) {
  return x > left && x < right && y > top && y < bottom;
}

// An arrow across the felt, from whoever attacks to whoever defends.
function renderArrow(felt, seats, state) {
  const svg = felt.querySelector(".arrow");
  const from = seats.indexOf(state.attacker);
  const to = seats.indexOf(state.defender);
  const active = (state.phase === "attack" || state.phase === "take") && from >= 0 && to >= 0 && !state.result;
  svg.replaceChildren();
  if (!active) return;
  const around = felt.getBoundingClientRect();
  const [start, end] = [from, to].map((index) => box(felt.querySelectorAll(".seat")[index], around, 6));
  const middle = ({ left, top, right, bottom }) => [(left + right) / 2, (top + bottom) / 2];
  const [[x1, y1], [x2, y2]] = [middle(start), middle(end)];
  // Bent towards the middle, so that it runs over the table and not along its edge.
  const [cx, cy] = [(x1 + x2) / 4 + around.width / 4, (y1 + y2) / 4 + around.height / 4];
  const curve = Array.from({ length: STEPS + 1 }, (_, step) => {
    const t = step / STEPS;
    return [x1, y1].map((_, axis) => (1 - t) ** 2 * [x1, y1][axis] + 2 * t * (1 - t) * [cx, cy][axis] + t * t * [x2, y2][axis]);
  }).filter((point) => !isInside(start, point) && !isInside(end, point));
  if (curve.length < 2) return;
  const [tail, tip] = [curve.at(Math.max(0, curve.length - 4)), curve.at(-1)];
  const angle = (Math.atan2(tip[1] - tail[1], tip[0] - tail[0]) * 180) / Math.PI;
  const shaft = curve.filter(([x, y]) => Math.hypot(x - tip[0], y - tip[1]) > HEAD * 0.8);
  svg.setAttribute("viewBox", `0 0 ${around.width} ${around.height}`);
  const make = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  if (shaft.length > 1) svg.append(make("polyline", { class: "shaft", points: shaft.map((point) => point.join(",")).join(" ") }));
  svg.append(make("path", { class: "head", d: `M${-HEAD} -16 L0 0 L${-HEAD} 16 z`, transform: `translate(${tip[0]} ${tip[1]}) rotate(${angle})` }));
}

function talonPile({ talon, turnup }) {
  const pile = element("span", { class: "pile", "aria-hidden": "true" });
  if (turnup) pile.append(cardFace(turnup, "turnup"));
  const hidden = talon - (turnup ? 1 : 0);
  if (hidden > 0) pile.append(cardFace("back", "top"));
  return pile;
}

function stockItem(name, term, ...description) {
  return element("div", { class: name }, element("dt", {}, term), element("dd", {}, ...description));
}

export function renderRail({ turn, stock, buttons }, snapshot, press) {
  const { state } = snapshot;
  const line = turnLine(snapshot);
  if (turn.textContent !== line) turn.textContent = line;
  turn.classList.toggle("long", line.length > LONG_LINE);
  if (state.phase === "still") return show(stock);
  const items = [];
  if (state.trump)
    items.push(
      stockItem(
        "trump",
        word("trump"),
        element(
          "span",
          { class: isRed(state.trump) ? "suit red" : "suit black", "data-suit": state.trump, role: "img", "aria-label": word(`suit_${state.trump}`) },
          symbol(state.trump),
        ),
      ),
    );
  if (state.talon > 0) items.push(stockItem("talon", word("stock_left"), talonPile(state), element("b", {}, String(state.talon))));
  else items.push(stockItem("talon none", word("stock_left"), element("b", {}, "0")));
  if (state.room !== null)
    items.push(stockItem("room", word("room"), element("b", {}, String(state.room))));
  items.push(stockItem("heap", word("stock_heap"), element("b", {}, String(state.heap))));
  show(stock, ...items);
  return show(buttons, ...statements(snapshot, press));
}

function statements({ state, tone, last_event: last }, press) {
  const { phase, table, defender } = state;
  const unbeaten = table.some(([, defence]) => defence === null);
  const made = [];
  if (phase === "attack" && unbeaten)
    made.push(button(word("take_button", { defender }), () => press({ button: "take", by: defender })));
  if ((phase === "attack" && table.length > 0 && !unbeaten) || phase === "take")
    made.push(button(word("done_button"), () => press({ button: "done" })));
  if (tone !== "call" && state.attacker) made.push(button(word("challenge_button"), () => press({ button: "challenge" })));
  if (last?.event === "pressed" && last.button !== "undo" && last.button !== "challenge")
    made.push(button(word("undo_button"), () => press({ button: "undo" }), { class: "quiet" }));
  return made;
}
