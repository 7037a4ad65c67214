// The players round the table: who they are, what they do, how many cards they hold, and where on the felt they sit.

import { element, show } from "./elements.js";
import { breakable, cardsCounted, unbroken, word } from "./words.js";

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
  if (seat === defender) return { text: word(phase === "take" ? "takes" : "defends"), kind: "defends", isAloud: true };
  if (seat === attacker) return { text: word("attacks"), kind: "acts", isAloud: true };
  if (entitled.includes(seat)) return { text: word("may_throw"), kind: "waits" };
  return { text: "", kind: "rests" };
}

const TEAM_SIGNS = ["●", "◆"];

// Who plays together bears the same sign and the same colour; nothing where everybody plays alone.
function teamSign(seat, teams) {
  const team = teams.findIndex((each) => each.includes(seat));
  return team < 0 ? null : element("i", { class: "team", "data-team": team, role: "img", "aria-label": word("team_n", { n: team + 1 }) }, TEAM_SIGNS[team % 2]);
}

// Draws the seats that changed; gives back in one word all that their boxes depend on.
export function renderSeats(place, seats, state, { width, height }, teams = []) {
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
        element("span", { class: "name" }, teamSign(seat, teams), breakable(seat)),
        element("b", { class: "count" }, count),
        element("span", { class: "aloud" }, held === null ? "" : cardsCounted(held)),
        element("span", { class: isAloud ? "aloud" : "role" }, text),
      ),
    );
    if (isNew) fan(item.querySelector(".hand"));
    return [seat, text, count.length];
  });
  return JSON.stringify([width, height, said]);
}

// The seats' boxes on the felt, their texts fitted: {left, top, right, bottom} each, in px from its corner.
export function placedSeats(felt, place) {
  fitTexts(place);
  const around = felt.getBoundingClientRect();
  return [...place.children].map((seat) => {
    const { left, top, right, bottom } = seat.getBoundingClientRect();
    return { left: left - around.left, top: top - around.top, right: right - around.left, bottom: bottom - around.top };
  });
}

// Nothing is cut off: a name or a role that would be breaks anywhere, then is written smaller, by as much as it takes.
function fitTexts(place) {
  const isCut = (text, line) => text.scrollHeight > text.clientHeight + line / 2 || text.scrollWidth > text.clientWidth + 1;
  const texts = [...place.querySelectorAll(".name, .role")];
  for (const text of texts) if (text.style.fontSize) text.style.removeProperty("font-size");
  const sizes = texts.map((text) => parseFloat(getComputedStyle(text).fontSize)); // all is read before anything is written
  const cut = texts.map((text, index) => [text, sizes[index]]).filter(([text, size]) => isCut(text, size));
  for (const [text] of cut) text.lastChild.data = unbroken(text.lastChild.data ?? "");
  for (const [text, line] of cut)
    for (let size = line - 1; size >= SMALLEST_TEXT && isCut(text, line); size -= 1) text.style.fontSize = `${size}px`;
}

// Backs fan out above each name like a hand of cards.
function fan(hand) {
  const middle = (hand.children.length - 1) / 2;
  [...hand.children].forEach((back, index) => back.style.setProperty("--turn", String(index - middle)));
}
