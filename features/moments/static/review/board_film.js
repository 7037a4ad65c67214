// A game as a small film of the board: the page draws its positions, since it has the letters of every language.

import { element } from "../elements.js";
import { ask, whyNot } from "../refusal.js";
import { toast } from "../toast.js";
import { percent, word } from "../words.js";

const SHOWN = new Set(["placed", "lifted", "swept", "swapped", "shown", "dealt"]); // what changes the board
const MOST_FRAMES = 120;
const WIDTH = 540;
const MOST_BYTES = 950_000; // the program takes 1 MB at once
const QUALITIES = [0.8, 0.55, 0.3];
const { match } = document.querySelector("main").dataset;
const base = `/api/matches/${encodeURIComponent(match)}`;
const button = document.getElementById("board-film");

async function drawn(line) {
  const image = new Image();
  image.src = `${base}/position.svg?line=${line}&language=${document.body.dataset.language}`;
  await image.decode();
  const canvas = element("canvas", { width: WIDTH, height: 2 * Math.round((WIDTH * image.naturalHeight) / image.naturalWidth / 2) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

const encoded = (canvas, quality) => new Promise((done) => canvas.toBlob((blob) => (blob.type === "image/webp" ? done(blob) : canvas.toBlob(done, "image/jpeg", quality)), "image/webp", quality));

// Evenly chosen where there are too many; the last one stays.
function chosen(lines) {
  if (lines.length <= MOST_FRAMES) return lines;
  return Array.from({ length: MOST_FRAMES }, (_, n) => lines[Math.round((n * (lines.length - 1)) / (MOST_FRAMES - 1))]);
}

async function made() {
  const { steps, error } = await ask(`${base}/replay?language=${document.body.dataset.language}`);
  if (error) throw new Error(error);
  const lines = chosen(steps.filter(({ event }) => SHOWN.has(event.event)).map(({ line }) => line));
  const canvases = [];
  for (const line of lines) {
    canvases.push(await drawn(line));
    button.textContent = word("again_running", { share: percent(canvases.length / lines.length) });
  }
  for (const quality of QUALITIES) {
    const frames = await Promise.all(canvases.map((canvas) => encoded(canvas, quality)));
    if (frames.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) continue;
    const form = new FormData();
    for (const frame of frames) form.append("frame", frame, "frame");
    const answer = await fetch(`${base}/board.mp4`, { method: "POST", body: form }).catch(() => null);
    if (!answer?.ok) throw new Error(await whyNot(answer));
    return answer.blob();
  }
  throw new Error(word("refused_413"));
}

button?.addEventListener("click", async () => {
  const label = button.textContent;
  button.disabled = true;
  try {
    const saved = URL.createObjectURL(await made());
    element("a", { href: saved, download: `${match}-board.mp4` }).click();
    setTimeout(() => URL.revokeObjectURL(saved), 1000);
  } catch (fault) {
    toast(fault.message);
  }
  button.textContent = label;
  button.disabled = false;
});
