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

const end = (name) => fetch(`/api/jobs/${name}`, { method: "DELETE" });

// How far a job is, as a bar (none before it began), and what stops it.
export const stoppable = (name, share = null) => [share === null ? null : progress(share), button(word("again_stop"), () => end(name), { class: "quiet" })];

export const progress = (share) => element("progress", { max: 1, value: share });
