// The sign that the table is filmed, for all to see; a referee's tap turns it off, and on again.

import { word } from "./words.js";

export function renderFilm(sign, film, turn) {
  sign.hidden = film === null;
  if (film === null) return;
  sign.setAttribute("aria-pressed", String(film));
  sign.querySelector(".text").textContent = word(film ? "film_on" : "film_off");
  sign.title = word(film ? "film_on_help" : "film_off_help");
  sign.disabled = document.body.dataset.role !== "referee";
  sign.onclick = () => turn(!film);
}
