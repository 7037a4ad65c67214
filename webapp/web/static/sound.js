// A hint that only the ear gets: two soft notes, made here. Browsers want a touch of the page before they make a sound.

import { accuses, isAnswer } from "./tone.js";

const NOTES_HZ = [523, 392];
const NOTE_S = 0.22;
const LOUDNESS = 0.18;

let context = null;
let heard = null; // the newest line that was listened to; null before the first snapshot

export function canSound() {
  return context?.state === "running";
}

export async function turnOn() {
  context ??= new AudioContext();
  await context.resume();
}

function hint() {
  if (!canSound()) return;
  NOTES_HZ.forEach((pitch, place) => {
    const [note, volume, from] = [context.createOscillator(), context.createGain(), context.currentTime + place * NOTE_S];
    note.frequency.value = pitch;
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(LOUDNESS, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, from + NOTE_S);
    note.connect(volume).connect(context.destination);
    note.start(from);
    note.stop(from + NOTE_S);
  });
}

// Sounds once for whatever is new and accuses somebody, where the table wants to be told so.
export function listen({ tone, calls }) {
  const asked = new Set(calls.filter(isAnswer).map((call) => call.line));
  const newest = calls.findLast((call) => accuses(call) && !asked.has(call.line))?.line ?? 0;
  if (tone === "hint" && heard !== null && newest > heard) hint();
  heard = Math.max(heard ?? 0, newest);
}
