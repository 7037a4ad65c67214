// What each decision of a match cost its player: a curve for every player, and the moments where more than a tenth was lost.

import { button, element } from "../elements.js";
import { endJob, followJob, percent } from "../jobs.js";
import { barPlot, linePlot } from "../plots.js";
import { whyNot } from "../refusal.js";
import { word } from "../words.js";

const MUCH = 0.1; // a chance lost that is worth a moment
const base = `/api/matches/${encodeURIComponent(document.querySelector("main").dataset.match)}/analysis`;
const place = document.querySelector("#analysis .plots-list");
const hundredths = (share) => Math.round(100 * share);

// Asked for when the section is opened: what was made of the match, or the button that has it made.
export async function showAnalysis(match, endS) {
  const answer = await fetch(base).catch(() => null);
  if (answer?.status === 200) draw(await answer.json(), match, endS);
  else if (answer?.status !== 204) tell(answer ? await whyNot(answer) : word("analysis_failed"));
  else if (document.body.dataset.role === "referee") {
    place.replaceChildren(element("p", {}, word("analysis_about")), button(word("analysis_begin"), () => begin(match, endS), { id: "analyse" }));
  } else tell(word("analysis_none"));
}

function tell(...words) {
  place.replaceChildren(element("p", { role: "status" }, ...words));
}

async function begin(match, endS) {
  const answer = await fetch(base, { method: "POST" });
  if (!answer.ok) return tell(await whyNot(answer));
  const { job } = await answer.json();
  const done = await followJob(job, ({ share }) => {
    tell(word("again_running", { share: percent(share) }), element("progress", { max: 1, value: share }), button(word("again_stop"), () => endJob(job), { class: "quiet" }));
  });
  if (done.state === "done") return showAnalysis(match, endS);
  return tell(done.state === "stopped" ? word("again_stopped") : (done.error ?? word("analysis_failed")));
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
  );
}

function moments(decisions) {
  const rows = decisions.map(({ line, by, played, best, loss, why }) =>
    element("li", {}, element("a", { href: `#line=${line}` }, element("bdi", {}, by), " ", element("bdi", {}, decided(played)), " · ", word("analysis_better", { best: decided(best) }), ` (−${percent(loss)})`), why ? element("p", { class: "analysis-why" }, word(`analysis_why_${why.id}`, why)) : null),
  );
  return element("div", { class: "plot" }, element("b", {}, word("analysis_moments")), rows.length ? element("ol", { class: "analysis-moments" }, ...rows) : element("p", {}, word("analysis_nothing_lost")));
}

// A decision in the reader's language; cards stay as they are written.
function decided(text) {
  const key = `analysis_${text.split(" ")[0]}`;
  const words = { take: "analysis_take", pass: "analysis_pass", wait: "analysis_wait" };
  if (text in words) return word(words[text]);
  if (text.includes(" over ")) return text.replace(" over ", " → ");
  if (key === "analysis_transfer" || key === "analysis_show") return word(key, { card: text.split(" ")[1] });
  return text;
}
