// Work that goes on beside the game: how far it is, until it is over.

import { button, element } from "./elements.js";
import { whyNot } from "./refusal.js";
import { word } from "./words.js";

const EVERY_MS = 700;
const OVER = new Set(["done", "failed", "stopped"]);

// Follows a job; `onChange` is called each time. Gives back how it ended.
export async function followJob(name, onChange) {
  for (;;) {
    const answer = await fetch(`/api/jobs/${name}`).catch(() => null);
    if (answer?.status === 404) return { state: "failed", error: await whyNot(answer) };
    if (answer?.ok) {
      const job = await answer.json();
      onChange(job);
      if (OVER.has(job.state)) return job;
    }
    await new Promise((done) => setTimeout(done, EVERY_MS));
  }
}

const KNOWN_FROM = 0.05; // share of the work: before it, how long the rest takes is guesswork

// Whole minutes that the rest takes at the speed so far, at least one; null where the speed is not known yet.
export function minutesLeft(share, workedMs) {
  if (share < KNOWN_FROM || share >= 1) return null;
  return Math.max(1, Math.round((workedMs * (1 - share)) / share / 60000));
}

// Stops a job. Returns why that failed, null if the job is stopped or was over.
async function end(name) {
  const answer = await fetch(`/api/jobs/${name}`, { method: "DELETE" }).catch(() => null);
  return answer?.ok || answer?.status === 404 ? null : whyNot(answer);
}

// A button that stops a job, for who may.
function stopButton(name, trouble) {
  if (document.body.dataset.role !== "referee") return null;
  const stop = button(word("again_stop"), async () => {
    stop.disabled = true; // a second tap
    const why = await end(name);
    stop.disabled = !why;
    trouble.textContent = why ?? "";
    trouble.hidden = !why;
  }, { class: "quiet" });
  return stop;
}

// Draws the progress of the job `name` into `place`, with a button that stops it. Returns a function that redraws it
// from the job's newest state; it changes the text and the bar alone, so that no tap on the button is lost.
// `sentence`, `more`: functions of the job that return its text, and further text.
export function showJob(place, name, sentence, more = null) {
  const [text, left, bar] = [element("span"), more && element("span", { class: "time-left" }), progress(0)];
  const trouble = element("span", { class: "trouble", role: "alert", hidden: true });
  const stop = stopButton(name, trouble);
  const show = (job) => {
    const said = sentence(job);
    if (text.textContent !== said) text.textContent = said;
    if (more) left.textContent = more(job);
    bar.value = job.share ?? 0;
    bar.hidden = job.state === "waiting";
  };
  show({ state: "waiting", share: 0 });
  place.replaceChildren(...[text, left, bar, stop, trouble].filter(Boolean).flatMap((each) => [each, " "]));
  return show;
}

const LONG_MS = 700; // until it is said that a request has work done: short work is over before

// Shows the job by which a request is answered, once that takes long. `kind`, `about`: of the job; `place`: gives back
// where it is shown. Gives back what ends that.
export function showMeanwhile({ kind, about }, sentence, place) {
  let isOver = false;
  const find = async () => {
    const answer = await fetch("/api/jobs").catch(() => null);
    const { jobs } = answer?.ok ? await answer.json().catch(() => ({ jobs: [] })) : { jobs: [] };
    if (isOver) return;
    const job = jobs.find((each) => each.kind === kind && each.about === about && !OVER.has(each.state));
    if (!job) waiting = setTimeout(find, EVERY_MS);
    else followJob(job.job, showJob(place(), job.job, () => word(sentence)));
  };
  let waiting = setTimeout(find, LONG_MS);
  return () => {
    isOver = true;
    clearTimeout(waiting);
  };
}

export const progress = (share) => element("progress", { max: 1, value: share });

// What a job says that judged no match.
function whyNotJudged({ state, late, limit_s: seconds }) {
  if (state === "stopped") return word("again_stopped");
  return late ? word("judging_late", { seconds }) : word("judging_failed");
}

// Asks for something of a match that is made of its rulings: a long match is judged first, and `place` says so.
export async function askJudged(address, place) {
  for (;;) {
    const answer = await fetch(address).catch(() => null);
    const { job } = answer?.status === 202 ? await answer.clone().json().catch(() => ({})) : {};
    delete document.body.dataset.judging;
    if (!job) return answer;
    place.hidden = false;
    document.body.dataset.judging = "running";
    const done = await followJob(job.job, showJob(place, job.job, () => word("judging")));
    document.body.dataset.judging = done.state;
    if (done.state === "done") place.replaceChildren(word("judging"));
    else await new Promise((again) => place.replaceChildren(whyNotJudged(done), " ", button(word("judging_again"), again)));
  }
}
