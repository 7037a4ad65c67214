// Endings of kept games in which one decision alone does not lose: step through them, try, and see whether it was right.

import "../board.js";
import { cardFace, symbol } from "../cards.js";
import { button, element } from "../elements.js";
import { ask } from "../refusal.js";
import { word } from "../words.js";
import { decided } from "./decided.js";

const place = document.getElementById("puzzle");
let puzzles = [];
let shown = 0;

function hand(name, held) {
  return element("div", { class: "puzzle-hand" }, element("b", {}, element("bdi", {}, name)), element("ul", { class: "cards" }, ...held.map((card) => element("li", {}, cardFace(card)))));
}

// The position as the board shows it: beaten cards lie among the others, since nothing tells which beat which.
function snapshot({ hands, by, attacker, taking, trump, unbeaten, beaten }) {
  const seats = [by, ...Object.keys(hands).filter((name) => name !== by)];
  const table = [...beaten, ...unbeaten].map((card) => [card, null]);
  const counts = Object.fromEntries(seats.map((name) => [name, hands[name].length]));
  const defender = seats.find((name) => name !== attacker);
  const state = { phase: taking ? "take" : "attack", attacker, defender, trump, talon: 0, table, open: [], hands: counts, entitled: [], due: [], out: [], result: null };
  return { seats, state, teams: [], tone: "call", calls: [] };
}

function task({ by, trump, attacker, taking }) {
  const doing = taking && by === attacker ? "puzzles_gives" : by === attacker ? "puzzles_attacks" : "puzzles_defends";
  return element("p", {}, word(doing, { who: by, trump: symbol(trump) }));
}

function answer(puzzle, choice, pressed, verdict) {
  const isRight = choice === puzzle.solution;
  pressed.dataset.right = isRight ? "yes" : "no";
  verdict.textContent = word(isRight ? "puzzles_right" : "puzzles_wrong");
}

function draw() {
  const puzzle = puzzles[shown];
  const verdict = element("p", { role: "status" });
  const choices = puzzle.choices.map((choice) => button(decided(choice), ({ currentTarget }) => answer(puzzle, choice, currentTarget, verdict)));
  const others = Object.keys(puzzle.hands).filter((name) => name !== puzzle.by);
  const game = `/matches/${encodeURIComponent(puzzle.match)}#line=${puzzle.line}`;
  const board = element("k-board", { class: "small" });
  place.replaceChildren(
    element("b", {}, word("puzzles_count", { n: shown + 1, of: puzzles.length })),
    task(puzzle),
    ...others.map((name) => hand(name, puzzle.hands[name])),
    board,
    hand(puzzle.by, puzzle.hands[puzzle.by]),
    element("div", { class: "answers" }, ...choices),
    verdict,
    element("div", { class: "steps" }, button(word("puzzles_back"), () => go(-1), { class: "quiet" }), button(word("puzzles_next"), () => go(1), { class: "quiet" })),
    element("a", { class: "evenings-link", href: game }, word("puzzles_game")),
  );
  board.show(snapshot(puzzle));
}

function go(by) {
  shown = (shown + by + puzzles.length) % puzzles.length;
  draw();
}

const found = await ask("/api/puzzles");
puzzles = found.puzzles ?? [];
if (puzzles.length) draw();
else place.replaceChildren(element("p", { class: "none" }, found.error ?? word("puzzles_none")));
document.body.dataset.ready = "yes";
