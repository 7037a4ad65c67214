// The costly decisions of a game once more: the position, the cards of who decides, and what each play would have brought.

import "../board.js";
import { cardFace, symbol } from "../cards.js";
import { button, element, show } from "../elements.js";
import { ask } from "../refusal.js";
import { percent, word } from "../words.js";
import { cardsOf, decided, whySentence } from "./decided.js";

const CLOSE = 0.02; // plays that differ by less are equally good
const { match } = document.querySelector("main").dataset;
const place = document.getElementById("mistake");
let mistakes = [];
let shown = 0;

// A position of the search as the board takes it; the attack and what beat it lie beside each other.
function snapshot({ hands, attacker, defender, taking, trump, talon, unbeaten, beaten, out }) {
  const lying = [...beaten, ...unbeaten].map((card) => ({ attack: card, defence: null, ruling: null, on: null }));
  const state = { phase: taking ? "take" : "attack", attacker, defender, trump, talon, table: [], lying, open: [], hands, entitled: [], due: [], out, result: null };
  return { seats: Object.keys(hands), state, teams: [], tone: "call", calls: [] };
}

function verdict({ chance: before, best }, { play, chance, why }) {
  const kind = play === best ? "best" : chance < before - CLOSE ? "better" : chance > before + CLOSE ? "worse" : "same";
  const words = { best: "mistakes_best", better: "mistakes_better", worse: "mistakes_worse", same: "mistakes_same" };
  const figures = word("mistakes_chance", { share: percent(chance), before: percent(before) });
  return [kind, [word(words[kind]), figures, why ? whySentence(why) : ""].filter(Boolean).join(" ")];
}

// What would have followed a play, one play after the other.
function followed(tried, board) {
  let at = 0;
  const text = element("p", {});
  const go = (step) => {
    at = Math.min(Math.max(at + step, 0), tried.goes_on.length - 1);
    show(text, ...tried.goes_on.map(({ by, play }, number) => element(number === at ? "b" : "span", {}, number ? " · " : "", element("bdi", {}, `${by}: ${decided(play)}`))));
    board.show(snapshot(tried.goes_on[at].after));
  };
  go(0);
  return element(
    "div",
    { class: "goes-on" },
    element("h2", {}, word("mistakes_line")),
    text,
    element("div", { class: "steps" }, button("◂", () => go(-1), { class: "quiet", "aria-label": word("review_event_back") }), button("▸", () => go(1), { class: "quiet", "aria-label": word("review_event_on") })),
  );
}

function draw() {
  const mistake = mistakes[shown];
  const { by, played, hand, supposed, position, tries, line } = mistake;
  const board = element("k-board", { class: "small" });
  const answer = element("div", { class: "verdict", role: "status" });
  const pick = (tried) => ({ currentTarget }) => {
    for (const each of place.querySelectorAll(".tries button")) each.setAttribute("aria-pressed", String(each === currentTarget));
    const [kind, text] = verdict(mistake, tried);
    answer.dataset.kind = kind;
    answer.replaceChildren(element("p", {}, text), followed(tried, board));
  };
  const options = [...tries].sort((one, other) => one.play.localeCompare(other.play)); // in no order that gives the answer away
  place.replaceChildren(
    element("b", { dir: "ltr" }, `${shown + 1} / ${mistakes.length}`),
    element("p", {}, word("mistakes_task", { who: by, played: decided(played), trump: symbol(position.trump) })),
    board,
    element("h2", {}, word("mistakes_hand", { who: by })),
    element("ul", { class: "cards" }, ...hand.map((card) => element("li", {}, cardFace(card)))),
    supposed ? element("p", { class: "how" }, word("mistakes_supposed")) : "",
    element(
      "div",
      { class: "tries" },
      ...options.map((tried) => element("button", { type: "button", class: "choice", "aria-pressed": "false", onclick: pick(tried) }, ...cardsOf(tried.play).map((card) => cardFace(card)), element("bdi", {}, decided(tried.play)))),
    ),
    answer,
    element("div", { class: "steps" }, button(word("setup_back"), () => go(-1), { class: "quiet" }), button(word("setup_next"), () => go(1), { class: "quiet" })),
    element("p", { class: "ways" }, element("a", { class: "button quiet", href: `/matches/${encodeURIComponent(match)}#line=${line}` }, word("puzzles_game")), element("a", { class: "button quiet", href: `/matches/${encodeURIComponent(match)}/summary` }, word("summary_title"))),
  );
  board.show(snapshot(position));
}

function go(step) {
  shown = (shown + step + mistakes.length) % mistakes.length;
  draw();
}

const answer = await fetch(`/api/matches/${encodeURIComponent(match)}/analysis`).catch(() => null);
const found = answer?.status === 200 ? await answer.json() : answer?.status === 204 ? {} : await ask(answer?.url ?? "");
mistakes = found.mistakes ?? [];
if (mistakes.length) draw();
else {
  // The summary rates the plays of a game that nobody has analysed.
  const isRated = answer?.status === 200;
  place.replaceChildren(
    element("p", { class: "none" }, found.error ?? word(answer?.status === 204 ? "analysis_none" : "mistakes_none")),
    element("p", { class: "ways" },
      element("a", { class: "button", href: `/matches/${encodeURIComponent(match)}/summary` }, word(isRated ? "summary_title" : "analysis_begin")),
      element("a", { class: "button quiet", href: `/matches/${encodeURIComponent(match)}` }, word("review_game"))));
}
document.body.dataset.ready = "yes";
