// The library: every kept match with its picture and result, and a search over all that is written there.

import { element } from "../elements.js";
import { resultLine } from "../result.js";
import { counted, listed, rulesName, word } from "../words.js";

const place = document.getElementById("matches");
const search = document.getElementById("search");

function resultText({ result, ended }) {
  if (!result) return word(ended ? "match_no_result" : "match_goes_on");
  return resultLine(result);
}

function entry(match) {
  const id = encodeURIComponent(match.match);
  const minutes = Math.floor(match.seconds / 60);
  const lasted = `${minutes}:${String(Math.floor(match.seconds % 60)).padStart(2, "0")}`;
  const picture = match.film
    ? element("img", { src: `/api/matches/${id}/picture.jpg`, alt: "", loading: "lazy" })
    : element("span", { class: "no-picture", "aria-hidden": "true" }, "♠");
  picture.addEventListener("error", () => picture.replaceWith(element("span", { class: "no-picture", "aria-hidden": "true" }, "♠")));
  return element(
    "li",
    {},
    element(
      "a",
      { href: `/matches/${id}` },
      element("span", { class: "shot" }, picture),
      element("b", {}, listed(match.seats)),
      element("span", { class: "result" }, resultText(match)),
      element("span", {}, new Date(match.started).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" })),
      element("span", { class: "facts" }, [rulesName(match.rules), lasted, counted("match_events", match.events), match.table, word(match.film ? "match_filmed" : "match_not_filmed")].join(" · ")),
    ),
  );
}

const answer = await fetch("/api/matches");
const { matches = [], error } = await answer.json();
const entries = matches.map((match) => {
  const made = entry(match);
  return { made, found: `${made.textContent} ${match.match}`.toLowerCase() };
});

function filter() {
  const words = search.value.trim().toLowerCase().split(/\s+/);
  const fitting = entries.filter(({ found }) => words.every((each) => found.includes(each)));
  const none = error ?? word(matches.length ? "matches_found_none" : "matches_none");
  place.replaceChildren(...(fitting.length ? fitting.map(({ made }) => made) : [element("li", { class: "none" }, none)]));
}

search.addEventListener("input", filter);
filter();
