// The felt: players round the table, the bout between them, and the rail with whose turn it is, talon and trump.

import { drawArrow } from "./arrow.js";
import { cardFace, isRed, symbol } from "./cards.js";
import { button, element, show, showEach } from "./elements.js";
import { resultLine } from "./result.js";
import { roomForBout } from "./room.js";
import { shownMatters } from "./tone.js";
import { turnLine } from "./turn.js";
import { renderSeats, placedSeats } from "./seats.js";
import { word } from "./words.js";

const WIDEST_CARD = 112;
const LONG_LINE = 26; // letters from which the line of whose turn it is grows smaller: the table needs the room

// What each felt shows, and what of its geometry was measured: measuring makes the browser lay the whole page out at once.
const drawn = new WeakMap();

export function renderFelt(felt, snapshot) {
  const known = drawn.get(felt) ?? follow(felt);
  const { seats, state } = (known.snapshot = snapshot);
  const [bout, svg] = [felt.querySelector(".bout"), felt.querySelector(".arrow")];
  const layout = renderSeats(felt.querySelector(".seats"), seats, state, known.size, snapshot.teams);
  renderBout(bout, snapshot);
  renderEnding(felt.querySelector(".ending"), snapshot);
  if (layout !== known.layout) Object.assign(known, { layout, boxes: placedSeats(felt, felt.querySelector(".seats")), room: "", arrow: "" });
  const room = String(bout.children.length);
  if (room !== known.room) placeBout(bout, known.size, known.boxes);
  const [from, to] = [seats.indexOf(state.attacker), seats.indexOf(state.defender)];
  const isActive = (state.phase === "attack" || state.phase === "take") && from >= 0 && to >= 0 && !state.result;
  const arrow = isActive ? `${from} ${to}` : "none";
  if (arrow !== known.arrow) {
    if (isActive) drawArrow(svg, known.size, known.boxes[from], known.boxes[to]);
    else svg.replaceChildren();
  }
  Object.assign(known, { room, arrow });
}

// A felt whose size changes is drawn again.
function follow(felt) {
  const { width, height } = felt.getBoundingClientRect();
  const known = { size: { width, height } };
  drawn.set(felt, known);
  new ResizeObserver(() => {
    const { width, height } = felt.getBoundingClientRect();
    if (width === known.size.width && height === known.size.height) return;
    known.size = { width, height };
    if (known.snapshot) renderFelt(felt, known.snapshot);
  }).observe(felt);
  return known;
}

// Between two games nothing lies on the felt.
export function clearFelt(felt) {
  for (const each of felt.querySelectorAll(".seats, .arrow")) each.replaceChildren();
  showEach(felt.querySelector(".bout"));
  felt.querySelector(".ending").hidden = true;
  if (drawn.has(felt)) Object.assign(drawn.get(felt), { snapshot: null, layout: "" });
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
function lying({ table, open }, shown) {
  const pairs = table.map(([attack, defence]) => [attack, defence, ""]);
  const laid = new Set(table.flat());
  for (const matter of open)
    for (const card of matter.cards.filter((each) => !laid.has(each))) {
      const under = shown.has(card) ? null : pairs.find(([attack, defence]) => attack === matter.on && defence === null);
      if (under) under[1] = card;
      else pairs.push([card, null, shown.has(card) ? `disputed ${matter.ruling}` : ""]);
    }
  return pairs;
}

function renderBout(place, snapshot) {
  const { state } = snapshot;
  const shown = new Set(shownMatters(snapshot).flatMap(({ cards }) => cards));
  const pairs = lying(state, shown).map(([attack, defence, mark]) => pair(attack, defence, mark));
  place.classList.toggle("over", state.result !== null);
  showEach(place, ...pairs);
}

function placeBout(bout, size, seats) {
  const room = roomForBout(size, seats, bout.children.length, WIDEST_CARD);
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

// The ranks of which somebody may add a card now, by the rules; null where nobody may.
function rankHint({ may_add: ranks = [], room }) {
  if (!ranks.length) return null;
  const named = ranks.map((rank) => (rank === "T" ? "10" : rank)).join(", ");
  return element("span", { class: "ranks" }, room === null ? named : `(${named})`);
}

export function renderRail({ turn, stock, buttons }, snapshot, press) {
  const { state } = snapshot;
  const line = turnLine(snapshot);
  if (turn.textContent !== line) turn.textContent = line;
  turn.classList.toggle("long", line.length > LONG_LINE);
  if (state.phase === "still") return showEach(stock);
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
  const ranks = rankHint(state);
  if (state.room !== null || ranks)
    items.push(stockItem("room", word("room"), ...[state.room === null ? "" : element("b", {}, String(state.room)), ranks].filter(Boolean)));
  items.push(stockItem("heap", word("stock_heap"), element("b", {}, String(state.heap))));
  showEach(stock, ...items);
  return show(buttons, ...statements(snapshot, press));
}

function statements({ state, tone }, press) {
  const { phase, table, defender } = state;
  const unbeaten = table.some(([, defence]) => defence === null);
  const made = [];
  if (phase === "attack" && unbeaten)
    made.push(button(word("take_button", { defender }), () => press({ button: "take", by: defender })));
  if ((phase === "attack" && table.length > 0 && !unbeaten) || phase === "take")
    made.push(button(word(phase === "take" ? "done_giving_button" : "done_button"), () => press({ button: "done" })));
  if (tone !== "call" && state.attacker) made.push(button(word("challenge_button"), () => press({ button: "challenge" })));
  return made;
}
