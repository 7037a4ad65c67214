// What is said aloud: calls in the page's language through the browser's own voice, soft tones where it has none.
// Each call is heard once and never after something newer has come; what is in doubt is a tone and no word.

const NOTES_HZ = { hint: [523, 392], call: [659] };
const NOTE_S = 0.22;
const LOUDNESS = 0.18;
const SPOKEN = new Set(["lead", "turn", "draw", "out", "result", "withdrawn", "corrected", "challenge"]);
const MODES = ["all", "faults", "off"];

export const stored = (name, usual) => {
  try {
    return localStorage.getItem(name) ?? usual;
  } catch {
    return usual;
  }
};
export const store = (name, value) => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // a private window forgets; it works until it is closed
  }
};

let mode = MODES.includes(stored("voice", "faults")) ? stored("voice", "faults") : "faults";
let volume = Number(stored("volume", "1")) || 1;
let context = null;
let heard = null; // keys of the calls that were listened to; null before the first snapshot
let game = null;
let uttered = []; // keys of the calls that were spoken last: the voice stops when one of them holds no longer
let accused = new Set(); // faults that were spoken: where one is taken back, that is heard as well
let wasAway = false;

export function voiceMode() {
  return mode;
}

export function voiceVolume() {
  return volume;
}

export function setVoice(next) {
  mode = next;
  store("voice", next);
  if (next === "off") globalThis.speechSynthesis?.cancel();
}

export function setVolume(next) {
  volume = next;
  store("volume", String(next));
}

// Browsers want a touch of the page before they make a sound.
export async function allowSound() {
  context ??= new AudioContext();
  await context.resume();
}

export function canSound() {
  return context?.state === "running";
}

export function ownVoice() {
  const language = document.documentElement.lang;
  return globalThis.speechSynthesis?.getVoices().find((voice) => voice.lang.toLowerCase().startsWith(language)) ?? null;
}

function play(notes) {
  if (!canSound()) return;
  notes.forEach((pitch, place) => {
    const [note, gain, from] = [context.createOscillator(), context.createGain(), context.currentTime + place * NOTE_S];
    note.frequency.value = pitch;
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime(LOUDNESS * volume, from + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.001, from + NOTE_S);
    note.connect(gain).connect(context.destination);
    note.start(from);
    note.stop(from + NOTE_S);
  });
}

// A voice reads a card's name in words: it would pass over the sign of its suit.
const spoken = (call) => call.spoken.replace(/[\u2067-\u2069]/g, "");

function speak(calls, isUrgent) {
  const synthesis = globalThis.speechSynthesis;
  const [voice, text] = [ownVoice(), calls.map(spoken).join(" ")];
  uttered = calls.filter((call) => !call.withdrawn).map(key); // a withdrawal is shown only until the next event
  if (!voice) return play(isUrgent ? NOTES_HZ.hint : NOTES_HZ.call);
  if (isUrgent || synthesis.pending) synthesis.cancel(); // what waits is older than this
  const said = new SpeechSynthesisUtterance(text);
  Object.assign(said, { voice, lang: voice.lang, volume });
  return synthesis.speak(said);
}

const key = (call) => [call.of ?? call.line, call.fault ?? call.announce ?? call.ruling, call.text].join("|");

const accusation = (fault, line) => `${fault}|${line}`;

function isSure(call) {
  return call.ruling === "illegal" || call.ruling === "impossible";
}

// The live stream broke off: what comes next may be long over.
export function missed() {
  wasAway = true;
}

function isOpen(call, { state: { open } }) {
  return isSure(call) && open.some(({ fault, cards }) => fault === call.fault && (call.cards ?? []).some((card) => cards.includes(card)));
}

// Listens to a snapshot: says what is new in it.
export function listen(snapshot) {
  if (snapshot.game !== game) [game, heard, accused] = [snapshot.game, heard === null ? null : new Set(), new Set()];
  const isFirst = heard === null;
  heard ??= new Set();
  const holding = new Set(snapshot.calls.map(key));
  if (uttered.some((each) => !holding.has(each))) {
    globalThis.speechSynthesis?.cancel();
    uttered = [];
  }
  const fresh = snapshot.calls.filter((call) => !heard.has(key(call)) && (!wasAway || isOpen(call, snapshot)));
  for (const each of holding) heard.add(each);
  wasAway = false;
  if (isFirst || mode === "off" || fresh.length === 0) return;
  if (snapshot.tone === "hint" && fresh.some((call) => isSure(call) || (call.ruling === "unclear" && call.question))) return play(NOTES_HZ.hint);
  const aloud = fresh.filter((call) => call.aloud);
  const correction = aloud.find((call) => call.announce === "corrected");
  const faults = aloud.filter(isSure).slice(-1);
  for (const call of faults) accused.add(accusation(call.fault, call.of ?? call.line));
  const ruled = correction && mode === "all" ? [correction, ...faults] : faults; // of what else it changes, nothing
  if (ruled.length) return speak(ruled, true);
  const takenBack = aloud.filter((call) => call.withdrawn && accused.delete(accusation(call.withdrawn, call.of)));
  if (takenBack.length) return speak(takenBack.slice(-1), true);
  if (correction) return undefined;
  if (aloud.some((call) => call.ruling === "unclear" && call.question)) return play(NOTES_HZ.hint);
  if (mode !== "all") return undefined;
  const said = aloud.filter((call) => SPOKEN.has(call.announce));
  return said.length ? speak(said, aloud.some((call) => call.announce === "result")) : undefined;
}
