// A kept match judged again: by its film or by other rules; what came out differently, ruling by ruling.

import { button, element, show } from "../elements.js";
import { endJob, followJob, minutesLeft, percent } from "../jobs.js";
import { post, whyNot } from "../refusal.js";
import { resultLine } from "../result.js";
import { clockText, counted, optionSentence, word } from "../words.js";

const part = (id) => document.getElementById(id);
const match = document.querySelector("main").dataset.match;
const base = `/api/matches/${encodeURIComponent(match)}`;
const language = document.body.dataset.language;
let asked = null;
let options = {};

async function load(rules) {
  const answer = await fetch(`${base}/again?language=${language}${rules ? `&rules=${rules}` : ""}`);
  if (!answer.ok) return tell(word("review_failed", { why: await whyNot(answer) }));
  const found = await answer.json();
  asked = found;
  options = { ...found.options };
  drawAsk();
}

function tell(text, ...more) {
  part("work").hidden = false;
  show(part("work"), element("span", {}, text), ...more);
}

function rulesField() {
  const field = element(
    "select",
    { id: "rules", "aria-label": word("again_by_record") },
    ...asked.sets.map(({ rules }) => element("option", { value: rules, selected: rules === asked.rules }, word(`rules_${rules.replaceAll("-", "_")}`))),
  );
  field.addEventListener("change", () => load(field.value));
  return field;
}

function optionField({ option, value, values }) {
  const isChosen = (each) => JSON.stringify(each.value) === JSON.stringify(value);
  const field = element(
    "select",
    { "aria-label": optionSentence(option, values.find(isChosen)), "data-option": option },
    ...values.map((each, n) => element("option", { value: n, selected: isChosen(each) }, optionSentence(option, each))),
  );
  field.addEventListener("change", () => (options[option] = values[field.value].value));
  return field;
}

function drawAsk() {
  const isReferee = document.body.dataset.role === "referee";
  part("ask").hidden = !isReferee;
  part("ask").replaceChildren(
    element(
      "div",
      {},
      button(word("again_by_film"), () => begin({ from: "film" }), { id: "by-film", disabled: !asked.film }),
      element("p", {}, asked.film ? word("again_film_takes", { length: clockText(asked.seconds) }) : word("review_no_film")),
    ),
    element(
      "div",
      {},
      button(word("again_by_record"), () => begin({ from: "record", rules: asked.rules, options }), { id: "by-record" }),
      rulesField(),
      asked.choices.length ? element("details", {}, element("summary", {}, word("house_rules")), ...asked.choices.map(optionField)) : null,
    ),
  );
}

function timeLeft(share, workedMs) {
  const minutes = minutesLeft(share, workedMs);
  return minutes === null ? null : element("span", { class: "time-left" }, counted("again_left", minutes));
}

async function begin(how) {
  part("outcome").hidden = true;
  const answer = await post(`${base}/again?language=${language}`, how);
  if (!answer?.ok) return tell(word("again_failed", { why: await whyNot(answer) }));
  const job = await answer.json();
  const began = performance.now();
  const done = await followJob(job.job, ({ share }) =>
    tell(word("again_running", { share: percent(share) }), timeLeft(share, performance.now() - began), element("progress", { max: 1, value: share }), button(word("again_stop"), () => endJob(job.job), { class: "quiet" })),
  );
  if (done.state === "failed") return tell(word("again_failed", { why: word("refused_500") }));
  if (done.state === "stopped") return tell(word("again_stopped"));
  part("work").hidden = true;
  drawOutcome(done.result);
}

function ended(result) {
  return result ? resultLine(result) : word("match_no_result");
}

const saidOf = (ruling) => (ruling ? ruling.text : word("again_nothing_said"));

// One row a change: what was said, an arrow, what is said now.
function line({ change, at, was, now }) {
  const words =
    change === "same"
      ? [now.text]
      : [element("s", { "aria-label": `${word("again_was")}: ${saidOf(was)}` }, saidOf(was)), element("i", { class: "arrow-on", "aria-hidden": "true" }, "→"), element("b", { "aria-label": `${word("again_now")}: ${saidOf(now)}` }, saidOf(now))];
  const address = was ? `line=${was.line}` : `at=${Math.max(0, at - 2)}`;
  return element("li", { "data-change": change }, element("a", { href: `/matches/${encodeURIComponent(match)}#${address}` }, element("time", {}, clockText(at)), element("span", {}, ...words)));
}

function drawOutcome({ changes, summary }) {
  const list = element("ol", { class: "changes" });
  const box = element("input", { type: "checkbox", id: "same" });
  const draw = () => list.replaceChildren(...changes.filter(({ change }) => box.checked || change !== "same").map(line));
  box.addEventListener("change", draw);
  draw();
  const isSame = summary.same === changes.length;
  part("outcome").hidden = false;
  show(
    part("outcome"),
    element("p", { class: "counts" }, isSame ? word("again_all_same") : word("again_counts", summary)),
    summary.unfilmed ? element("p", {}, counted("again_unfilmed", summary.unfilmed)) : null,
    element("p", {}, word("again_result", { was: ended(summary.result.was), now: ended(summary.result.now) })),
    element("label", {}, box, word("again_show_same")),
    list,
  );
  part("outcome").scrollIntoView({ block: "nearest" });
}

load();
