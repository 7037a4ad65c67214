// The rail below the board: whose turn it is, trump, talon, what may be added, and what players can state.

import { cardFace, isRed, symbol } from "./cards.js";
import { button, element, show, showEach } from "./elements.js";
import { turnLine } from "./turn.js";
import { cardsCounted, word } from "./words.js";

const LONG_LINE = 26; // letters from which the line of whose turn it is grows smaller: the table needs the room

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

// How many cards may be added now by the rules, and of which ranks; nothing of what they don't say.
function additions({ may_add: ranks = [], room }) {
  const named = ranks.map((rank) => (rank === "T" ? "10" : rank)).join(", ");
  return [
    ...(room === null ? [] : [element("b", {}, String(room)), element("span", { class: "unit" }, cardsCounted(room))]),
    ...(ranks.length ? [element("span", { class: "ranks" }, word("room_ranks", { ranks: named }))] : []),
  ];
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
  const added = additions(state);
  if (added.length) items.push(stockItem("room", word("room"), ...added));
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
  // Where faults are called at once a challenge asks for the pictures; else it is how one asks at all.
  if (state.attacker && !state.result)
    made.push(button(word("challenge_button"), () => press({ button: "challenge" }), tone === "call" ? { class: "quiet" } : {}), button(word("resign"), () => press({ button: "resign" }), { class: "quiet" }));
  return made;
}