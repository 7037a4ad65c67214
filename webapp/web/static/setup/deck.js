// The fourth step: does the referee read these cards? If not, it learns the deck from them.

import { cardFace, cardText } from "../cards.js";
import { button, element, show } from "../elements.js";
import { word } from "../words.js";

const SHOWN = 8;
const PAIRS_SHOWN = 6; // the worst first
const SUITS = ["s", "h", "d", "c"];
const RANKS = { 24: ["9", "A"], 32: ["7", "A"], 36: ["6", "A"], 52: ["2", "A"] };

let isWrong = false; // did somebody say that the cards are not these?
let isRight = false;
let name = "";
let inRows = true;

function packOf(setup) {
  return setup.choices.options.find(({ option }) => option === "pack")?.value ?? 36;
}

function orderOf(pack) {
  const [least, most] = RANKS[pack];
  return SUITS.map((suit) => `${least}${suit}-${most}${suit}`).join(",");
}

export function deckStep(place, setup, { choose }) {
  const again = () => deckStep(place, setup, { choose });
  const { view } = setup;
  if (view.enrolment && !view.enrolment.saved) return show(place, ...learning(setup, choose));
  const decks = [null, ...setup.choices.decks];
  const cards = view.cards.slice(0, SHOWN);
  show(
    place,
    element("h1", {}, word("setup_deck_title")),
    element(
      "div",
      { class: "choices" },
      ...decks.map((deck) =>
        button(deck ?? word("deck_any"), () => choose({ deck }), { class: "choice", "aria-pressed": String(deck === setup.deck) }),
      ),
    ),
    element("p", { class: "how" }, word(cards.length ? "deck_right" : "deck_lay")),
    element("div", { class: "read" }, ...cards.map(([card]) => cardFace(card))),
    cards.length && !isRight && !isWrong
      ? element(
          "div",
          { class: "choices" },
          button(word("yes_right"), () => {
            isRight = true;
            again();
          }),
          button(word("no_wrong"), () => {
            isWrong = true;
            again();
          }, { class: "quiet" }),
        )
      : null,
    isRight ? element("p", { class: "good" }, word("deck_good")) : null,
    lookAlikes(view.enrolment),
    ...teach(setup, choose, again),
  );
  return undefined;
}

// How a deck of one's own is shown.
function teach(setup, choose, again) {
  if (!isWrong) {
    return [button(word("deck_teach"), () => {
      isWrong = true;
      again();
    }, { class: "quiet" })];
  }
  const pack = packOf(setup);
  const field = element("input", { value: name || word("deck_name_usual"), maxlength: 40, "aria-label": word("deck_name") });
  const rows = element("input", { type: "checkbox", checked: inRows });
  rows.addEventListener("change", () => {
    inRows = rows.checked;
  });
  return [
    element("h2", {}, word("deck_teach")),
    element("p", { class: "how" }, word("deck_teach_how", { n: pack })),
    element("label", { class: "line" }, rows, element("span", {}, word("deck_in_rows"))),
    element("label", { class: "line" }, element("span", {}, word("deck_name")), field),
    button(word("deck_learn"), () => {
      name = field.value.trim();
      choose({ enrol: { name, pack, ...(inRows ? { order: orderOf(pack) } : {}) } });
    }),
  ];
}

// Of a deck that was learnt just now: what a bad look could take for one another.
function lookAlikes(enrolment) {
  const pairs = enrolment?.look_alikes ?? [];
  const told = pairs.slice(0, PAIRS_SHOWN).map((pair) => pair.map(cardText).join("\u00a0–\u00a0"));
  return told.length ? element("p", { class: "how" }, word("deck_look_alikes", { pairs: told.join(", ") })) : null;
}

function learning(setup, choose) {
  const { enrolment } = setup.view;
  const about = { name: enrolment.name, pack: enrolment.pack, ...(inRows ? { order: orderOf(enrolment.pack) } : {}) };
  const missing = enrolment.missing.slice(0, 12).map(cardText).join("  ");
  return [
    element("h1", {}, word("deck_learning", { name: enrolment.name })),
    element("progress", { max: enrolment.pack, value: enrolment.learnt, "aria-label": word("deck_learning", { name: enrolment.name }) }),
    element("p", { class: "how" }, word("deck_so_far", { n: enrolment.learnt, all: enrolment.pack })),
    enrolment.missing.length ? element("p", {}, word("deck_missing", { cards: missing })) : null,
    enrolment.doubtful.length ? element("p", {}, word("deck_doubtful", { cards: enrolment.doubtful.map(cardText).join("  ") })) : null,
    enrolment.cause ? element("p", { class: "bad", role: "status" }, word(`deck_cause_${enrolment.cause}`, { n: enrolment.pack })) : null,
    element(
      "div",
      { class: "choices" },
      button(word("deck_keep"), () => {
        isWrong = false;
        choose({ enrol: { ...about, finish: true } });
      }),
      button(word("cancel"), () => choose({ enrol: null }), { class: "quiet" }),
    ),
  ];
}
