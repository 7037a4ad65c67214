// Takes the newest picture of the camera whenever there is room for one and sends it; pictures that find no room are
// left out, so that what arrives is never old.

import { send } from "./sending.js";

const GAP_MS = 50; // twenty a second, until the program says what suits it
const EARLY_MS = 12; // a picture may be so much early: cameras do not keep our time
const LANES = 2;
const AGAIN_MS = 1000; // after no answer

const page = crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`.slice(0, 36);

export class Pictures {
  // onAnswer({status, answer}): what the program says to a picture, status 0 where nobody answers.
  constructor(video, onAnswer) {
    this.video = video;
    this.onAnswer = onAnswer;
    this.widest = 1280;
    this.number = 0;
    this.dueMs = 0;
    this.gapMs = GAP_MS;
    this.pausedUntilMs = 0;
    this.offsetMs = null; // how far the program's clock is before this one's
    this.bestTookMs = Infinity;
    this.free = [...Array(LANES).keys()];
    this.run = 0; // a camera that is opened again begins a run of its own
    this.isStopped = false;
    this.worker = startedWorker((done) => this.done(done));
    this.canvases = this.worker ? [] : this.free.map(() => document.createElement("canvas"));
  }

  start() {
    this.isStopped = false;
    this.run += 1;
    this.wait(this.run);
  }

  stop() {
    this.isStopped = true;
  }

  wait(run) {
    if (this.isStopped || run !== this.run) return;
    if (this.video.requestVideoFrameCallback)
      this.video.requestVideoFrameCallback((now, { captureTime }) => this.take(run, captureTime ?? now));
    else setTimeout(() => this.take(run, performance.now()), GAP_MS);
  }

  async take(run, takenMs) {
    this.wait(run);
    if (this.isStopped || run !== this.run) return;
    const now = performance.now();
    const { videoWidth, videoHeight } = this.video;
    if (!videoWidth || !this.free.length || now < this.pausedUntilMs || now < this.dueMs - EARLY_MS) return;
    this.dueMs = Math.max(this.dueMs + this.gapMs, now);
    const lane = this.free.pop();
    const scale = Math.min(1, this.widest / Math.max(videoWidth, videoHeight));
    const [width, height] = [Math.round(videoWidth * scale), Math.round(videoHeight * scale)];
    this.number += 1;
    const captured = this.offsetMs === null ? "" : `&captured=${Math.round(performance.timeOrigin + takenMs + this.offsetMs)}`;
    const about = { width, height, url: new URL(`/api/camera/frame?page=${page}&n=${this.number}${captured}`, location.href).href };
    try {
      if (this.worker) {
        const bitmap = await createImageBitmap(this.video);
        this.worker.postMessage({ lane, bitmap, ...about }, [bitmap]);
      } else this.done({ lane, ...(await send(this.canvases[lane], this.video, about)) });
    } catch {
      this.free.push(lane); // the camera has stopped in this moment
    }
  }

  done({ lane, status, answer, tookMs }) {
    this.free.push(lane);
    if (status === 0) this.pausedUntilMs = performance.now() + AGAIN_MS;
    this.gapMs = answer.gap_ms ?? this.gapMs;
    if (answer.now_ms && tookMs < this.bestTookMs) {
      this.bestTookMs = tookMs;
      this.offsetMs = answer.now_ms + tookMs / 2 - (performance.timeOrigin + performance.now());
    }
    if (!this.isStopped) this.onAnswer({ status, answer });
  }
}

function startedWorker(onDone) {
  if (typeof OffscreenCanvas === "undefined" || typeof createImageBitmap === "undefined") return null;
  try {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => onDone(data);
    return worker;
  } catch {
    return null;
  }
}
