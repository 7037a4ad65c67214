// What each decision of a match cost its player: a curve for every player, and the moments where more than a tenth was lost.

import { button, element } from "../elements.js";
import { followJob, showJob } from "../jobs.js";
import { barPlot, linePlot } from "../plots.js";
import { ask, asJson, whyNot } from "../refusal.js";
import { capital, percent, word } from "../words.js";
import { cardFace } from "../cards.js";
import { cardsOf, decided, whySentence } from "./decided.js";

const MUCH = 0.1; // a chance lost that is worth a moment, and from which a play is marked: the least of COSTS in plays.js
const base = `/api/matches/${encodeURIComponent(document.querySelector("main").dataset.match)}/analysis`;
const place = document.querySelector("#analysis .plots-list"); // null on a page of which nothing is kept
const hundredths = (share) => Math.round(100 * share);

// Asked for when the section is opened: what was made of the match, or the button that has it made.
export async function showAnalysis(match, endS, onMade) {
  const answer = await fetch(base).catch(() => null);
  if (answer?.status === 200) draw(await answer.json(), match, endS);
  else if (answer?.status !== 204) tell(await whyNot(answer));
  else if (document.body.dataset.role === "referee") {
    place.replaceChildren(element("p", {}, word("analysis_about")), button(word("analysis_begin"), () => begin(match, endS, onMade), { id: "analyse" }));
  } else tell(word("analysis_none"));
}

// What was made of the match, if anything was; asked for quietly when the page opens.
export async function costlyDecisions() {
  const answer = await fetch(base).catch(() => null);
  return answer?.status === 200 ? (await answer.json()).decisions.filter(({ loss }) => loss > MUCH) : [];
}

// The marks on the line of time where much was lost.
export function marksOfLosses(decisions, { steps }) {
  const times = new Map(steps.map(({ line, at }) => [line, at]));
  return decisions
    .filter(({ line }) => times.has(line))
    .map(({ line, by, loss }) => ({ at: times.get(line), line, kind: "loss", label: word("analysis_mark", { who: by, loss: percent(loss) }) }));
}

// The better decision as ghost cards on the felt; null takes them away.
export function showBetter(felt, decision) {
  felt.parentElement.querySelector(".better")?.remove();
  if (!decision) return;
  const text = word("analysis_better", { best: decided(decision.best) });
  felt.after(element("div", { class: "better" }, ...cardsOf(decision.best).map((card) => cardFace(card, "ghost")), element("span", {}, text)));
}

// What a decision lost, what was better and why, in a line.
export const costLine = ({ best, loss, why }) =>
  element("p", { class: "cost" }, [`${capital(word("analysis_better", { best: decided(best) }))} (−${percent(loss)})`, why && whySentence(why)].filter(Boolean).join(" · "));

function tell(...words) {
  place.replaceChildren(element("p", { role: "status" }, ...words));
}

async function begin(match, endS, onMade) {
  const status = element("p", { role: "status" });
  place.replaceChildren(status); // the button is gone before a second tap
  const { job, error } = await ask(base, asJson({}));
  if (error) return tell(error);
  const done = await followJob(job, showJob(status, job, ({ share }) => word("again_running", { share: percent(share) })));
  if (done.state === "done") {
    onMade();
    return showAnalysis(match, endS, onMade);
  }
  tell(word(done.state === "stopped" ? "again_stopped" : "analysis_failed"));
  return place.append(button(word("analysis_begin"), () => begin(match, endS, onMade), { id: "analyse" }));
}

function draw({ decisions, players }, { seats, steps }, endS) {
  const times = new Map(steps.map(({ line, at }) => [line, at]));
  const minutes = (line) => (times.get(line) ?? 0) / 60;
  const series = seats.map((name) => ({ name, points: decisions.map(({ line, chances }) => [minutes(line), hundredths(chances[name])]) })).filter(({ points }) => points.length);
  const axis = { xMost: Math.max(endS, 1) / 60, yMost: 100, xLabel: word("plots_minutes") };
  const lost = players.map(({ seat, mean_loss }) => ({ name: seat, value: Math.round(100 * mean_loss) }));
  place.replaceChildren(
    linePlot(word("analysis_curve"), series, axis),
    barPlot(word("analysis_lost"), lost, word("analysis_nothing_lost")),
    moments(decisions.filter(({ loss }) => loss > MUCH)),
    element("p", {}, element("a", { href: `${base}.durak`, download: "" }, word("analysis_notation")), " ", element("a", { href: "/puzzles" }, word("puzzles_title"))),
  );
}

function moments(decisions) {
  const rows = decisions.map(({ line, by, played, best, loss, why }) =>
    element("li", {}, element("a", { href: `#line=${line}` }, element("bdi", {}, by), " ", element("bdi", {}, decided(played)), " · ", word("analysis_better", { best: decided(best) }), ` (−${percent(loss)})`), why ? element("p", { class: "analysis-why" }, whySentence(why)) : null),
  );
  return element("div", { class: "plot" }, element("b", {}, word("analysis_moments")), rows.length ? element("ol", { class: "analysis-moments" }, ...rows) : element("p", {}, word("analysis_nothing_lost")));
}
