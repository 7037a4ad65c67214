// Endings of kept games in which one decision alone does not lose: step through them, try, and see whether it was right.

import { cardFace, symbol } from "../cards.js";
import { button, element } from "../elements.js";
import { whyNot } from "../refusal.js";
import { word } from "../words.js";
import { decided } from "./decided.js";

const place = document.getElementById("puzzle");
let puzzles = [];
let shown = 0;

function cards(title, held, mark = "") {
  return element("div", {}, element("b", {}, title), element("ul", { class: "cards" }, ...held.map((card) => element("li", { class: mark }, cardFace(card)))));
}

function lying({ unbeaten, beaten }) {
  const pile = cards(word("on_table"), unbeaten);
  pile.querySelector("ul").append(...beaten.map((card) => element("li", { class: "beaten" }, cardFace(card))));
  return pile;
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
  place.replaceChildren(
    element("b", {}, word("puzzles_count", { n: shown + 1, of: puzzles.length })),
    task(puzzle),
    ...others.map((name) => cards(name, puzzle.hands[name])),
    ...(puzzle.unbeaten.length + puzzle.beaten.length ? [lying(puzzle)] : []),
    cards(puzzle.by, puzzle.hands[puzzle.by]),
    element("div", { class: "answers" }, ...choices),
    verdict,
    element("div", { class: "steps" }, button(word("puzzles_back"), () => go(-1), { class: "quiet" }), button(word("puzzles_next"), () => go(1), { class: "quiet" })),
    element("a", { class: "evenings-link", href: game }, word("puzzles_game")),
  );
}

function go(by) {
  shown = (shown + by + puzzles.length) % puzzles.length;
  draw();
}

const found = await fetch("/api/puzzles");
if (found.ok) puzzles = (await found.json()).puzzles;
if (puzzles.length) draw();
else place.replaceChildren(element("p", { class: "none" }, found.ok ? word("puzzles_none") : await whyNot(found)));
document.body.dataset.ready = "yes";
