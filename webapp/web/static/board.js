// The board: players round the table, the bout between them, an arrow from attacker to defender, and the end of the game.
// <k-board> on every page that shows a position; with `tappable` its cards and the numbers of its hands are buttons.

import { cardFace } from "./cards.js";
import { element, show, showEach, svgElement } from "./elements.js";
import { resultLine } from "./result.js";
import { cardsCounted, listed, word } from "./words.js";

const WIDEST_CARD = 112;

class Board extends HTMLElement {
  connectedCallback() {
    if (this.bout) return;
    this.classList.add("felt");
    this.arrow = svgElement("svg", { class: "arrow", "aria-hidden": "true" });
    this.seats = element("ol", { class: "seats", "aria-label": word("seats_label") });
    this.bout = element("ol", { class: "bout", "aria-label": word("on_table") });
    this.ending = element("div", { class: "ending", hidden: true });
    this.append(this.arrow, this.seats, this.bout, this.ending);
    // What was measured of the board: measuring makes the browser lay the whole page out at once.
    this.drawn = { size: this.measured(), layout: "", room: "", arrow: "" };
    new ResizeObserver(() => {
      const { width, height } = this.measured();
      if (width === this.drawn.size.width && height === this.drawn.size.height) return;
      this.drawn.size = { width, height };
      if (this.snapshot) this.show(this.snapshot);
    }).observe(this);
  }

  measured() {
    const { width, height } = this.getBoundingClientRect();
    return { width, height };
  }

  show(snapshot) {
    this.snapshot = snapshot;
    const { drawn } = this;
    const { seats, state, teams } = snapshot;
    const isTappable = this.hasAttribute("tappable");
    const layout = renderSeats(this.seats, seats, state, drawn.size, teams, isTappable);
    renderBout(this.bout, snapshot, isTappable);
    renderEnding(this.ending, snapshot);
    if (layout !== drawn.layout) Object.assign(drawn, { layout, boxes: placedSeats(this, this.seats), room: "", arrow: "" });
    const room = String(this.bout.children.length);
    if (room !== drawn.room) placeBout(this.bout, drawn.size, drawn.boxes);
    const [from, to] = [seats.indexOf(state.attacker), seats.indexOf(state.defender)];
    const isActive = (state.phase === "attack" || state.phase === "take") && from >= 0 && to >= 0 && !state.result;
    const arrow = isActive ? `${from} ${to}` : "none";
    if (arrow !== drawn.arrow) {
      if (isActive) drawArrow(this.arrow, drawn.size, drawn.boxes[from], drawn.boxes[to]);
      else this.arrow.replaceChildren();
    }
    Object.assign(drawn, { room, arrow });
  }

  // Between two games nothing lies on the table.
  clear() {
    this.snapshot = null;
    for (const each of [this.seats, this.arrow]) each.replaceChildren();
    showEach(this.bout);
    this.ending.hidden = true;
    this.drawn.layout = "";
  }
}

customElements.define("k-board", Board);

// --- the bout ---

// `wrong`: the card of an open fault that was laid on this one.
function pair({ attack, defence, ruling }, wrong, isTappable) {
  const over = defence ?? wrong?.attack ?? null;
  const verdict = ruling ?? wrong?.ruling;
  return element(
    "li",
    { class: `pair ${over ? "beaten" : "standing"} ${verdict ? `disputed ${verdict}` : ""}`.trim() },
    cardFace(attack, ruling ? "attack wrong" : "attack", isTappable),
    element("span", { class: "aloud" }, word(defence === null ? "unbeaten" : "beaten_by")),
    over ? cardFace(over, wrong ? "defence wrong" : "defence", isTappable) : null,
  );
}

function renderBout(place, { state: { lying, result } }, isTappable) {
  const pairs = result ? [] : lying; // what lies there once the deal is decided is no part of it
  const bare = new Set(pairs.filter(({ defence, ruling }) => defence === null && !ruling).map(({ attack }) => attack));
  const wrong = new Map(pairs.filter(({ on, ruling }) => ruling && bare.has(on)).map((each) => [each.on, each]));
  showEach(place, ...pairs.filter((each) => wrong.get(each.on) !== each).map((each) => pair(each, each.ruling ? null : wrong.get(each.attack), isTappable)));
}

function placeBout(bout, size, seats) {
  const room = roomForBout(size, seats, bout.children.length, WIDEST_CARD);
  bout.style.setProperty("left", `${room.left + (room.right - room.left - room.width) / 2}px`);
  bout.style.setProperty("top", `${room.top}px`);
  bout.style.setProperty("width", `${room.width}px`); // just wide enough for a row, so that rows break where they should
  bout.style.setProperty("height", `${room.bottom - room.top}px`);
  bout.style.setProperty("--card-w", `${Math.floor(room.card)}px`);
}

const losses = (lost) => Object.entries(lost).map(([name, count]) => `\u2068${name}\u2069\u00a0${count}`).join(" · ");

// The standing of the series that is played, else the score of the whole evening where it is known, else that of this match.
function scoreLine({ series, evening, calls }) {
  if (series) return series.fool.length ? word("series_fool", { who: listed(series.fool) }) : word("series_line", { n: series.to, losses: losses(series.lost) });
  if (evening?.games)
    return word("evening_line", { losses: losses(evening.lost) });
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

// --- where there is room for the bout: clear of all seats, where its pairs can be drawn largest ---

const PAIR_WIDTH = 1.34; // a pair and the gap beside it, in widths of a card
const PAIR_HEIGHT = 1.72;
const MARGIN = 12;
const OFF_CENTRE = 0.25; // how much size is given up for lying in the middle of the table

function overlaps(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

function edges(values, from, to) {
  return [...new Set(values.map((value) => Math.min(Math.max(Math.round(value), from), to)))];
}

function largestCards(width, height, pairs, widest) {
  let best = { card: 0, across: 1 };
  for (let across = 1; across <= pairs; across += 1) {
    const down = Math.ceil(pairs / across);
    const card = Math.min(widest, width / across / PAIR_WIDTH, height / down / PAIR_HEIGHT);
    if (card > best.card + 0.5) best = { card, across };
  }
  return best;
}

// felt: {width, height}; seats: rectangles {left, top, right, bottom}; gives such a rectangle, the
// `width` that a row of pairs takes in it, and `card`, how wide a card is.
export function roomForBout(felt, seats, pairs, widest) {
  const xs = edges([MARGIN, felt.width - MARGIN, ...seats.flatMap((s) => [s.left - MARGIN, s.right + MARGIN])], MARGIN, felt.width - MARGIN);
  const ys = edges([MARGIN, felt.height - MARGIN, ...seats.flatMap((s) => [s.top - MARGIN, s.bottom + MARGIN])], MARGIN, felt.height - MARGIN);
  let best = { left: 0, top: 0, right: felt.width, bottom: felt.height, card: 0, across: 1, worth: -Infinity };
  for (const left of xs)
    for (const right of xs)
      for (const top of ys)
        for (const bottom of ys) {
          const place = { left, right, top, bottom };
          if (right - left < 40 || bottom - top < 50 || seats.some((seat) => overlaps(place, seat))) continue;
          const fit = largestCards(right - left, bottom - top, Math.max(pairs, 1), widest);
          const aside = Math.hypot(left + right - felt.width, top + bottom - felt.height) / 2 / Math.max(felt.width, felt.height);
          const worth = fit.card * (1 - OFF_CENTRE * aside * 8);
          if (worth > best.worth) best = { ...place, ...fit, worth };
        }
  return { ...best, width: Math.ceil(best.card * PAIR_WIDTH * best.across) };
}

// --- the players ---

const BACKS_SHOWN = 6; // a hand of the usual size; more would only say what the number says
const TALL = 1.15; // a felt less wide than this times its height has its seats in two columns
const SMALLEST_TEXT = 10; // px

// Seats sit as the camera sees them: the first at the bottom edge, the others clockwise, evenly by angle. The circle is
// pushed out towards the corners, where a rectangular page has the room.
function onCircle(index, count) {
  const angle = Math.PI / 2 + (index * 2 * Math.PI) / count;
  const out = (value) => Math.sign(value) * Math.sqrt(Math.abs(Math.round(value * 1e6) / 1e6));
  return { x: out(Math.cos(angle)), y: out(Math.sin(angle)) };
}

// Three, five and six sit in rows, in the same order, so that their names keep their size and the bout has the middle.
const ROWS = {
  wide: { 3: [[0, 1], [-1, -1], [1, -1]], 5: [[0, 1], [-1, 1], [-0.55, -1], [0.55, -1], [1, 1]], 6: [[0, 1], [-1, 1], [-1, -1], [0, -1], [1, -1], [1, 1]] },
  tall: { 3: [[0, 1], [-1, -1], [1, -1]], 5: [[0, 1], [-1, 0.6], [-1, -1], [1, -1], [1, 0.6]], 6: [[0, 1], [-1, 0.6], [-1, -0.6], [0, -1], [1, -0.6], [1, 0.6]] },
};

function direction(index, count, shape) {
  const [x, y] = ROWS[shape][count]?.[index] ?? [];
  return x === undefined ? onCircle(index, count) : { x, y };
}

function role(seat, state) {
  const { result, phase, attacker, defender, entitled, due, out, room } = state;
  if (result) {
    if (!result.seats.includes(seat)) return { text: "", kind: "rests" };
    const lost = result.kind.endsWith("fool");
    return { text: word(lost ? "fool_badge" : "winner_badge"), kind: lost ? "fool" : "wins" };
  }
  if (out.includes(seat)) return { text: word("out_badge"), kind: "out" };
  const owed = due.find(([name]) => name === seat);
  if (phase === "draw" && owed) return { text: word("draws", { n: owed[1] }), kind: due[0][0] === seat ? "acts" : "waits" };
  if (phase === "draw" || phase === "lead") return { text: "", kind: "rests" };
  if (seat === defender) return { text: word(phase === "take" ? "takes" : "defends"), kind: "defends", isAloud: true };
  if (seat === attacker) return { text: word("attacks"), kind: "acts", isAloud: true };
  if (entitled.includes(seat)) return { text: room === 0 ? "" : word("may_throw"), kind: "waits" };
  return { text: "", kind: "rests" };
}

const TEAM_SIGNS = ["●", "◆"];

// Who plays together bears the same sign and the same colour; nothing where everybody plays alone.
function teamSign(seat, teams) {
  const team = teams.findIndex((each) => each.includes(seat));
  return team < 0 ? null : element("i", { class: "team", "data-team": team, role: "img", "aria-label": word("team_n", { n: team + 1 }) }, TEAM_SIGNS[team % 2]);
}

// Draws the seats that changed; gives back in one word all that their boxes depend on.
function renderSeats(place, seats, state, { width, height }, teams = [], isTappable = false) {
  const shape = width < height * TALL ? "tall" : "wide";
  place.dataset.count = seats.length;
  place.dataset.shape = shape;
  while (place.children.length > seats.length) place.lastChild.remove();
  while (place.children.length < seats.length) place.append(element("li", { class: "seat" }));
  const said = seats.map((seat, index) => {
    const { text, kind, isAloud } = role(seat, state); // the line of the turn says who attacks whom, and the arrow shows it
    const held = state.hands[seat] ?? null;
    const count = held === null ? "?" : String(held);
    const item = place.children[index];
    const { x, y } = direction(index, seats.length, shape);
    Object.assign(item.dataset, { role: kind, seat });
    item.style.setProperty("--x", x.toFixed(4));
    item.style.setProperty("--y", y.toFixed(4));
    const backs = Array.from({ length: Math.min(held ?? 0, BACKS_SHOWN) }, () => element("i"));
    const isNew = show(
      item,
      element("span", { class: "hand", "aria-hidden": "true" }, ...backs),
      element(
        "div",
        { class: "plate" },
        element("span", { class: "name" }, teamSign(seat, teams), seat),
        isTappable
          ? element("b", { class: "count", role: "button", tabindex: "0", "aria-label": `${seat}: ${held === null ? "?" : `${held} ${cardsCounted(held)}`}` }, count)
          : element("b", { class: "count" }, count),
        isTappable ? null : element("span", { class: "aloud" }, held === null ? "" : cardsCounted(held)),
        element("span", { class: isAloud ? "aloud" : "role" }, text),
      ),
    );
    if (isNew) fan(item.querySelector(".hand"));
    return [seat, text, count.length];
  });
  return JSON.stringify([width, height, said]);
}

// The seats' boxes on the felt, their texts fitted: {left, top, right, bottom} each, in px from its corner.
function placedSeats(felt, place) {
  fitTexts(place);
  const around = felt.getBoundingClientRect();
  return [...place.children].map((seat) => {
    const parts = [...seat.children].map((each) => each.getBoundingClientRect()).filter(({ width }) => width); // on a low felt no backs
    const [left, top] = ["left", "top"].map((side) => Math.min(...parts.map((box) => box[side])) - around[side]);
    const [right, bottom] = [["right", "left"], ["bottom", "top"]].map(([side, from]) => Math.max(...parts.map((box) => box[side])) - around[from]);
    return { left, top, right, bottom };
  });
}

// Nothing is cut off: a name or a role that would be breaks anywhere, then is written smaller.
function fitTexts(place) {
  const isCut = (text, line) => text.scrollHeight > text.clientHeight + line / 2 || text.scrollWidth > text.clientWidth + 1;
  const texts = [...place.querySelectorAll(".name, .role")];
  for (const text of texts) text.removeAttribute("style");
  const sizes = texts.map((text) => parseFloat(getComputedStyle(text).fontSize)); // all is read before anything is written
  const cut = texts.map((text, index) => [text, sizes[index]]).filter(([text, size]) => isCut(text, size));
  for (const [text, line] of cut) {
    text.style.overflowWrap = "anywhere";
    for (let size = line - 1; size >= SMALLEST_TEXT && isCut(text, size); size -= 1) text.style.fontSize = `${size}px`;
  }
}

// Backs fan out above each name like a hand of cards.
function fan(hand) {
  const middle = (hand.children.length - 1) / 2;
  [...hand.children].forEach((back, index) => back.style.setProperty("--turn", String(index - middle)));
}

// --- the arrow ---

const HEAD = 26; // px
const CLEAR = 6; // px between a seat and the arrow

// `size`: of the felt; `from`, `to`: boxes of two seats on it. The seats lie above both ends of the shaft.
function drawArrow(arrow, size, from, to) {
  if (![from, to].every((box) => box && Object.values(box).every(Number.isFinite))) return arrow.replaceChildren(); // nothing is laid out yet
  const middle = ({ left, top, right, bottom }) => [(left + right) / 2, (top + bottom) / 2];
  const [[x1, y1], [x2, y2]] = [middle(from), middle(to)];
  // Bent towards the middle, so that it runs over the table and not along its edge.
  const bend = [(x1 + x2) / 4 + size.width / 4, (y1 + y2) / 4 + size.height / 4];
  const shaft = svgElement("path", { class: "shaft", d: `M${x1} ${y1} Q${bend} ${x2} ${y2}` });
  arrow.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  arrow.replaceChildren(shaft);
  const meets = (box, { x, y }) => x > box.left - CLEAR && x < box.right + CLEAR && y > box.top - CLEAR && y < box.bottom + CLEAR;
  let end = shaft.getTotalLength();
  while (end > HEAD && meets(to, shaft.getPointAtLength(end))) end -= CLEAR;
  const [tip, before] = [end, end - HEAD].map((at) => shaft.getPointAtLength(at));
  if (meets(from, before)) return arrow.replaceChildren(); // no room between the seats
  const stops = Array.from({ length: 41 }, (_, n) => shaft.getPointAtLength(((end - 0.8 * HEAD) * n) / 40));
  shaft.setAttribute("d", `M${stops.map(({ x, y }) => `${x} ${y}`).join(" L")}`);
  const angle = (Math.atan2(tip.y - before.y, tip.x - before.x) * 180) / Math.PI;
  return arrow.append(svgElement("path", { class: "head", d: `M${-HEAD} -16 L0 0 L${-HEAD} 16 z`, transform: `translate(${tip.x} ${tip.y}) rotate(${angle})` }));
}
