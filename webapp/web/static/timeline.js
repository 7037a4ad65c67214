// <k-timeline>: the time of a match as a line. Its bouts are blocks, as wide as they lasted, with a mark for whatever was
// called, asked, put right or lost. The one timeline of every page.

import { element, replaceChildren } from "./elements.js";
import { eventText } from "./event_text.js";
import { word } from "./words.js";

const ACCUSING = new Set(["illegal", "impossible"]);
const HIT_PX = 44; // as wide as a finger needs
const LEAST_PX = 24; // of a bout's block, where there is room for all

// Bouts in order: {number, from, to (seconds), first (line), end: "heap", a seat or null}.
export function boutsOf(steps) {
  const bouts = new Map();
  for (const { bout: number, event, line } of steps) {
    if (!bouts.has(number) && event.event === "placed") bouts.set(number, { number, from: event.at, first: line, end: null });
    const bout = bouts.get(number);
    if (!bout || bout.end !== null) continue; // what is drawn after the sweep is no part of the block
    Object.assign(bout, { to: event.at, end: event.event === "swept" ? event.to : null });
  }
  return [...bouts.values()];
}

// What is marked: {at, line, kind: "fault", "question" or "correction", label}.
function marksOf(steps, calls) {
  const at = new Map(steps.map(({ line, event }) => [line, event]));
  const called = calls.filter(({ line, ruling, question }) => at.has(line) && (ACCUSING.has(ruling) || (ruling === "unclear" && question)));
  const marks = called.map(({ line, ruling }) => ({ line, kind: ACCUSING.has(ruling) ? "fault" : "question", label: `${word(ruling)}: ${eventText(at.get(line))}` }));
  marks.push(...steps.filter(({ said }) => said).map(({ line, event }) => ({ line, kind: "correction", label: eventText(event) })));
  return marks.map((mark) => ({ ...mark, at: at.get(mark.line).at }));
}

// Marks in order of time, those that would lie closer than a finger is wide together: [{left (px), marks}].
function grouped(marks, widthPx, share) {
  const groups = [];
  for (const mark of marks) {
    const left = Math.min(Math.max(share(mark.at) * widthPx, HIT_PX / 2), widthPx - HIT_PX / 2);
    const last = groups.at(-1);
    if (last && left - last.left < HIT_PX) last.marks.push(mark);
    else groups.push({ left, marks: [mark] });
  }
  return groups;
}

// Where blocks stand: none narrower than a finger needs, none over another, as near to their times as that leaves. {left, right} in px.
function blocksPlaced(bouts, widthPx, share) {
  const least = Math.min(LEAST_PX, widthPx / bouts.length);
  const boxes = bouts.map(({ from, to }) => ({ left: share(from) * widthPx, right: Math.max(share(to) * widthPx, share(from) * widthPx + least) }));
  const moveTo = (box, left) => Object.assign(box, { right: Math.max(left + least, box.right), left });
  boxes.forEach((box, n) => n && box.left < boxes[n - 1].right && moveTo(box, boxes[n - 1].right));
  let end = widthPx;
  for (const box of boxes.reverse()) {
    box.right = Math.min(box.right, end);
    box.left = Math.min(box.left, box.right - least);
    end = box.left;
  }
  return boxes.reverse();
}

class Timeline extends HTMLElement {
  connectedCallback() {
    if (this.needle) return;
    this.setAttribute("role", "group");
    this.needle = element("i", { class: "needle", "aria-hidden": "true", hidden: true });
    this.addEventListener("click", ({ target, clientX }) => {
      if (target !== this) return;
      const box = this.getBoundingClientRect();
      this.onTime(this.beganS + (this.spanS * (clientX - box.left)) / box.width);
    });
    new ResizeObserver(() => this.steps && this.clientWidth !== this.drawnPx && this.draw()).observe(this);
  }

  // Of a tap on a bout or a mark the line that it belongs to is given, of one beside them the second.
  onBout() {}
  onMark() {}
  onTime() {}

  // `beganS`, `endS`: seconds of both ends, by default of the plays; `losses`: marks of an analysis.
  show({ steps, calls = [], losses = [], beganS = steps[0]?.event.at ?? 0, endS = steps.at(-1)?.event.at ?? 0 }) {
    const marks = [...marksOf(steps, calls), ...losses].sort((one, other) => one.at - other.at);
    const content = JSON.stringify([boutsOf(steps), marks, beganS, endS]);
    if (content === this.content) return; // a tap that goes on meets the mark on which it began
    Object.assign(this, { content, steps, marks, beganS, spanS: Math.max(endS - beganS, 0.001) });
    this.draw();
  }

  share = (at) => (at - this.beganS) / this.spanS;

  draw() {
    this.drawnPx = this.clientWidth;
    const bouts = boutsOf(this.steps);
    const boxes = blocksPlaced(bouts, this.drawnPx, this.share);
    const blocks = bouts.map(({ number, first, end }, n) => {
      const ending = end === null ? "" : end === "heap" ? word("review_beaten") : word("review_taken", { who: end });
      const title = `${word("review_bout", { n: number })} ${ending}`;
      const block = element("button", { type: "button", class: "block", "data-end": end === null ? "open" : end === "heap" ? "heap" : "taken", title, onclick: () => this.onBout(first) }, element("b", {}, String(number)));
      Object.assign(block.style, { left: `${boxes[n].left}px`, width: `${boxes[n].right - boxes[n].left}px` });
      return block;
    });
    replaceChildren(this, [...blocks, ...grouped(this.marks, this.drawnPx, this.share).map((group) => this.mark(group)), this.needle]);
  }

  // A button for one mark or several: each tap goes on to the next of them.
  mark({ left, marks }) {
    const label = [...new Set(marks.map((mark) => mark.label))].join(", ");
    const title = marks.length > 1 ? `${marks.length}: ${label}` : label;
    let next = 0;
    const go = () => {
      this.onMark(marks[next].line);
      next = (next + 1) % marks.length;
    };
    const [{ kind, line }] = marks;
    const made = element("button", { type: "button", class: "mark", "data-kind": kind, "data-line": line, "aria-label": title, title, onclick: go }, marks.length > 1 ? element("b", {}, String(marks.length)) : null);
    made.style.left = `${left}px`;
    return made;
  }

  // Moves the needle to a second.
  at(seconds) {
    this.needle.hidden = false;
    this.needle.style.left = `clamp(0%, ${100 * this.share(seconds)}%, 100%)`;
  }
}

customElements.define("k-timeline", Timeline);
