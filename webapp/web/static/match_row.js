// A kept match in a list: who played, how it ended, and what else tells it apart. The same on every page that lists matches.

import { element } from "./elements.js";
import { resultLine } from "./result.js";
import { counted, listed, rulesName, word } from "./words.js";

const { machine } = document.body.dataset; // a table without a name has that of its machine, which tells people nothing

export const tableName = (table) => (table && table !== machine ? word("table_named", { table }) : null);

const noPicture = () => element("span", { class: "no-picture", "aria-hidden": "true" }, "♠");

function shot({ match, film }) {
  if (!film) return element("span", { class: "shot" }, noPicture());
  const picture = element("img", { src: `/api/matches/${encodeURIComponent(match)}/picture.jpg`, alt: "", loading: "lazy" });
  picture.addEventListener("error", () => picture.replaceWith(noPicture()));
  return element("span", { class: "shot" }, picture);
}

function outcome({ result, damaged }, isPlayed) {
  if (damaged) return word("match_damaged");
  if (result) return resultLine(result);
  return word(isPlayed ? "match_goes_on" : "match_no_result");
}

// `faults`: how many, null where that is not known; `isPlayed`: at a table, just now.
export function matchRow(match, faults = null, isPlayed = false) {
  const when = match.started ?? match.began;
  const facts = [
    when && new Date(when).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" }),
    match.rules && rulesName(match.rules),
    match.seconds && counted("match_minutes", Math.max(1, Math.round(match.seconds / 60))),
    faults === null ? null : faults ? counted("match_faults", faults) : word("library_without_faults"),
    tableName(match.table),
    match.film ? word("match_filmed") : null,
  ];
  const text = element(
    "span",
    { class: "row-text" },
    element("b", {}, match.seats.length ? listed(match.seats) : match.match),
    element("span", { class: "result" }, outcome(match, isPlayed)),
    element("span", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    match.demo ? element("span", { class: "facts" }, word("match_demo")) : null,
  );
  return element("li", { class: "match-row" }, match.match && !match.damaged ? element("a", { href: `/matches/${encodeURIComponent(match.match)}` }, shot(match), text) : element("div", {}, shot(match), text));
}
