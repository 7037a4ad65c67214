// Cards drawn as cards. A face that cannot be loaded falls back to its index in text.

import { element } from "./elements.js";
import { cardName, inForm } from "./words.js";

const SYMBOLS = { s: "♠", h: "♥", d: "♦", c: "♣" };

export function symbol(suit) {
  return SYMBOLS[suit];
}

export function isRed(suit) {
  return suit === "h" || suit === "d";
}

// The deck's own indices are Russian; the faces on which others differ are drawn for each language.
const LETTERED = { en: "en/", es: "en/", he: "en/", fr: "fr/" };

function source(card) {
  const lettered = "JQKA".includes(card[0]) ? (LETTERED[document.documentElement.lang] ?? "") : "";
  return `${document.documentElement.dataset.deck === "four" ? "/cards/four/" : "/static/cards/"}${lettered}${card}.svg`;
}

// The deck was chosen otherwise: the cards that lie there turn.
export function redrawCards() {
  for (const face of document.querySelectorAll("[data-card] > img")) face.src = source(face.parentElement.dataset.card);
}

// `isTappable`: a button for fingers and keys alike (board.js).
export function cardFace(card, mark = "", isTappable = false) {
  const name = cardName(card);
  const face = element("img", { src: source(card), alt: name, draggable: "false" });
  const made = element("span", { class: `card ${mark}`.trim(), "data-card": card, ...(isTappable ? { role: "button", tabindex: "0" } : {}) }, face);
  face.addEventListener("error", () => made.replaceChildren(plainFace(card, name)), { once: true });
  return made;
}

// A card in a line of text, as people write it, in a form of the language.
export const cardText = (card) => writtenCard(card, "");

export function writtenCard(card, form) {
  const rank = inForm(`index_${"JQKA".includes(card[0]) ? card[0] : "n"}`, form).replace("{n}", card[0] === "T" ? "10" : card[0]);
  return `${rank}${symbol(card[1])}`;
}

function plainFace(card, name) {
  if (card === "back") return element("span", { class: "plain back", role: "img", "aria-label": name });
  const rank = card[0] === "T" ? "10" : card[0];
  const colour = isRed(card[1]) ? "red" : "black";
  return element("span", { class: `plain ${colour}`, "data-suit": card[1], role: "img", "aria-label": name }, `${rank}${symbol(card[1])}`);
}
