// The time of a match as a line to scrub on: its bouts as blocks, as wide as they lasted, with a mark for whatever was called, asked or
// put right. Made of the steps and calls of `/api/matches/ID/replay`.

import { element } from "../elements.js";
import { word } from "../words.js";

const MARKED = new Set(["illegal", "impossible"]);

// Bouts in order: {number, from, to (seconds), first, last (places in steps), end: "heap", a seat or null}.
export function boutsOf(steps) {
  const bouts = new Map();
  steps.forEach(({ bout: number, event, at }, place) => {
    if (!bouts.has(number) && event.event === "placed") bouts.set(number, { number, from: at, first: place, end: null });
    const bout = bouts.get(number);
    if (!bout || bout.end !== null) return; // what is drawn after the sweep is no part of the block
    Object.assign(bout, { to: at, last: place, end: event.event === "swept" ? event.to : null });
  });
  return [...bouts.values()];
}

// What is marked: {at, line, kind: "fault", "question" or "correction"}.
export function marksOf(steps, calls) {
  const faults = calls.filter(({ ruling }) => MARKED.has(ruling)).map(({ at, line }) => ({ at, line, kind: "fault" }));
  const asked = calls.filter(({ ruling, question }) => ruling === "unclear" && question).map(({ at, line }) => ({ at, line, kind: "question" }));
  const corrected = steps.filter(({ said }) => said).map(({ at, line }) => ({ at, line, kind: "correction" }));
  return [...faults, ...asked, ...corrected].filter(({ at, line }) => at !== null && at !== undefined && steps.some((step) => step.line === line));
}

const HIT_PX = 44; // as wide as a finger needs

// Marks in order of time, those that would lie closer than a finger is wide together: [{left (px), marks}].
export function groupedMarks(marks, widthPx, leftOf) {
  const groups = [];
  for (const mark of marks) {
    const left = Math.min(Math.max(leftOf(mark.at) * widthPx, HIT_PX / 2), widthPx - HIT_PX / 2);
    const last = groups.at(-1);
    if (last && left - last.left < HIT_PX) last.marks.push(mark);
    else groups.push({ left, marks: [mark] });
  }
  return groups;
}

// A button for one mark or several: each tap goes on to the next of them.
function markButton({ left, marks }, onPlace) {
  const label = [...new Set(marks.map((mark) => mark.label))].join(", ");
  const title = marks.length > 1 ? `${marks.length}: ${label}` : label;
  let next = 0;
  const go = () => {
    onPlace(marks[next].place);
    next = (next + 1) % marks.length;
  };
  const [{ kind, line }] = marks;
  const mark = element("button", { type: "button", class: "mark", "data-kind": kind, "data-line": line, "aria-label": title, title, onclick: go }, marks.length > 1 ? element("b", {}, String(marks.length)) : null);
  mark.style.left = `${left}px`;
  return mark;
}

// Draws the line into `place`. Of a tap on a bout or a mark `onPlace` gets which step it belongs to, of one beside them
// `onTime` which second. `losses`: marks of an analysis. Gives back what moves the needle.
export function drawTimeAxis(place, { steps, calls, beganS, endS, losses = [] }, { onTime, onPlace }) {
  const placeOf = new Map(steps.map(({ line }, index) => [line, index]));
  const span = Math.max(endS - beganS, 0.001);
  const share = (at) => (at - beganS) / span;
  const left = (at) => `${100 * share(at)}%`;
  const blocks = boutsOf(steps).map((bout) => {
    const end = bout.end === null ? "" : bout.end === "heap" ? word("review_beaten") : word("review_taken", { who: bout.end });
    const block = element(
      "button",
      { type: "button", class: "block", "data-end": bout.end === null ? "open" : bout.end === "heap" ? "heap" : "taken", title: `${word("review_bout", { n: bout.number })} ${end}`, onclick: () => onPlace(bout.first) },
      element("b", {}, String(bout.number)),
    );
    block.style.left = left(bout.from);
    block.style.width = `${(100 * Math.max(bout.to - bout.from, span / 400)) / span}%`;
    return block;
  });
  const found = marksOf(steps, calls).map((mark) => ({ ...mark, label: word(`review_${mark.kind}s`) }));
  const marks = [...found, ...losses].filter(({ line }) => placeOf.has(line)).sort((one, other) => one.at - other.at);
  for (const mark of marks) mark.place = placeOf.get(mark.line);
  const needle = element("i", { class: "needle", "aria-hidden": "true" });
  const draw = () => place.replaceChildren(...blocks, ...groupedMarks(marks, place.clientWidth, share).map((group) => markButton(group, onPlace)), needle);
  draw();
  place.resized?.disconnect();
  let drawnPx = place.clientWidth;
  place.resized = new ResizeObserver(() => {
    if (place.clientWidth === drawnPx) return;
    drawnPx = place.clientWidth;
    draw();
  });
  place.resized.observe(place);
  place.onclick = (event) => {
    if (event.target !== place) return;
    const box = place.getBoundingClientRect();
    onTime(beganS + (span * (event.clientX - box.left)) / box.width);
  };
  return (at) => {
    needle.style.left = `clamp(0%, ${left(at)}, 100%)`;
  };
}
