// A film without a match is dropped on the library: sent in pieces, refereed beside the game, then one tap away.

import { button, element } from "../elements.js";
import { followJob, progress, showJob } from "../jobs.js";
import { asJson, whyNot } from "../refusal.js";
import { rulesField } from "../rule_fields.js";
import { beginning } from "../setup/start.js";
import { percent, word } from "../words.js";

const TRIES = 5; // a piece that got lost on a poor network is sent again
const place = document.getElementById("film-drop");
const works = document.getElementById("film-works");
const followed = new Set();
let choices = null;

// A line for each film on its way, with what stops it.
function workLine() {
  const line = element("li", { role: "status" });
  works.append(line);
  return (text, ...more) => {
    line.classList.remove("bad");
    line.replaceChildren(element("span", {}, text), ...more.filter(Boolean));
    return line;
  };
}

// A film that can't be refereed, by its name, and why.
const fail = (tell, name, why) => tell(word("film_drop_failed", { name, why })).classList.add("bad");

async function follow(job, tell) {
  followed.add(job.job);
  const name = job.about;
  const sentence = ({ state, share }) => word(state === "waiting" ? "film_drop_waiting" : "film_drop_working", { name, share: percent(share) });
  const done = await followJob(job.job, showJob(tell(""), job.job, sentence));
  if (done.state === "failed") return fail(tell, name, word("refused_film"));
  if (done.state === "stopped") return tell(word("again_stopped"));
  const open = element("a", { class: "button", href: `/matches/${encodeURIComponent(done.result.match)}` }, word("film_drop_open"));
  return tell(word("film_drop_done", { name }), open);
}

async function ask(address, how) {
  const answer = await fetch(address, how);
  if (!answer.ok) throw new Error(await whyNot(answer));
  return answer.json();
}

// One piece after the other; what did not arrive is sent again from where it ended. Gives back whether all was sent.
async function send(film, { upload, piece_bytes: size }, tell, isStopped) {
  let [at, tries] = [0, 0];
  while (at < film.size) {
    if (isStopped()) {
      await ask(`/api/films/${upload}`, { method: "DELETE" });
      return false;
    }
    try {
      const found = await ask(`/api/films/${upload}?at=${at}`, { method: "PUT", body: film.slice(at, at + size) });
      at = found.received;
      tries = 0;
      tell(at / film.size);
    } catch (fault) {
      tries += 1;
      if (!(fault instanceof TypeError) || tries > TRIES) throw fault; // a TypeError is the network's
      await new Promise((done) => setTimeout(done, 500 * tries));
    }
  }
  return true;
}

// Had the deal begun? What lies in the first pictures is proposed; gives back the position, null: before the deal.
async function askBeginning(upload, name, seats, rules, tell) {
  const stopped = new AbortController();
  const stopButton = () => button(word("again_stop"), () => stopped.abort(), { class: "quiet" });
  tell(word("film_drop_looking", { name }), progress(), stopButton());
  const { pack, ...view } = await ask(`/api/films/${upload}`, { signal: stopped.signal });
  const setup = { seats, rules, dealer: null, lead: null, start: view.table.talon ? view.proposal : undefined, view, choices: { options: [{ option: "pack", value: pack }] } };
  return new Promise((done, refuse) => {
    stopped.signal.addEventListener("abort", () => refuse(stopped.signal.reason));
    const choose = (values) => {
      Object.assign(setup, values);
      draw();
    };
    const draw = () => {
      const { start, dealer, lead } = setup;
      const lacking = start ? ["trump", "talon"].filter((each) => start[each] === null) : [];
      const go = button(word("film_drop_go"), () => done({ start, dealer, lead }), { class: "film-begins", disabled: start === undefined || lacking.length > 0 });
      const needs = lacking.map((each) => element("p", { class: "bad" }, word(`need_${each}`)));
      tell(name, element("div", { class: "film-start" }, ...beginning(setup, { choose, latest: () => setup }), ...needs, go, stopButton()));
    };
    draw();
  });
}

async function referee(film, seats, rules) {
  const tell = workLine();
  let isStopped = false;
  let upload = null;
  const bar = progress(0);
  const line = tell("", bar, button(word("again_stop"), () => (isStopped = true), { class: "quiet" }));
  const sending = (share) => {
    line.firstChild.textContent = word("film_drop_sending", { name: film.name, share: percent(share) });
    bar.value = share;
  };
  sending(0);
  try {
    const begun = await ask("/api/films", asJson({ name: film.name, bytes: film.size, seats, rules }));
    if (!(await send(film, begun, sending, () => isStopped))) return tell(word("again_stopped"));
    upload = begun.upload;
    const asked = await askBeginning(upload, film.name, seats, rules, tell);
    return await follow(await ask(`/api/films/${begun.upload}`, asJson(asked)), tell);
  } catch (fault) {
    if (fault.name === "AbortError") {
      await fetch(`/api/films/${upload}`, { method: "DELETE" }).catch(() => null); // else it is deleted after an hour
      return tell(word("again_stopped"));
    }
    return fail(tell, film.name, fault instanceof TypeError ? word("disconnected") : fault.message);
  }
}

function form() {
  const file = element("input", { type: "file", id: "film-file", accept: "video/*,.mkv,.avi", "aria-label": word("film_drop_file") });
  const seats = element("input", { id: "film-seats", value: (choices.seats.length ? choices.seats : ["A", "B"]).join(", "), autocomplete: "off" });
  const rules = rulesField(choices.sets, choices.rules, { id: "film-rules" });
  const go = button(word("film_drop_go"), () => {
    referee(file.files[0], seats.value.split(",").map((name) => name.trim()).filter(Boolean), rules.value);
    file.value = "";
    go.disabled = true;
  }, { id: "film-go", disabled: true });
  const chosen = () => (go.disabled = !file.files.length);
  file.addEventListener("change", chosen);
  place.addEventListener("drop", (dropped) => {
    dropped.preventDefault();
    place.classList.remove("over");
    if (dropped.dataTransfer.files.length) file.files = dropped.dataTransfer.files;
    chosen();
  });
  return [
    element("p", {}, word("film_drop_why")),
    file,
    element("label", {}, element("span", {}, word("film_drop_seats")), seats),
    element("label", {}, element("span", {}, word("film_drop_rules")), rules),
    go,
  ];
}

async function open() {
  if (choices) return;
  try {
    choices = await ask(`/api/films?language=${document.body.dataset.language}`);
    place.append(element("div", { class: "film-form" }, ...form()));
  } catch (fault) {
    place.append(element("p", {}, fault.message));
  }
}

if (place) {
  place.addEventListener("toggle", open);
  for (const kind of ["dragenter", "dragover"])
    place.addEventListener(kind, (dragged) => {
      dragged.preventDefault();
      place.open = true;
      place.classList.add("over");
    });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
}

const { jobs = [] } = await (await fetch("/api/jobs")).json();
for (const job of jobs) if (job.kind === "film" && !["stopped", "done"].includes(job.state) && !followed.has(job.job)) follow(job, workLine());
