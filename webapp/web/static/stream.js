// The live stream: reports what is new, notices when nothing comes any more, and finds its way back by itself.

import { showConnection } from "./notice.js";

const SILENCE_MS = 8000; // the referee says how the camera is doing every second
const AGAIN_MS = 2000;
const STALE_MS = 2500; // a page shown again asks at once if it has heard nothing for longer

export function follow(url, { onMatch, onCamera, onConnection = showConnection, onWarnings = () => {}, onFilm = () => {} }) {
  let source = null;
  let watchdog = 0;
  let heardAt = Date.now(); // a device that sleeps stops its other clocks

  function alive() {
    heardAt = Date.now();
    onConnection(true);
    clearTimeout(watchdog);
    watchdog = setTimeout(lost, SILENCE_MS);
  }

  // A device whose role was taken back is sent to where it may ask for a new one.
  async function leaveIfSentAway() {
    try {
      const { status } = await fetch("/api/state", { method: "HEAD" });
      if (status === 401) location.assign(`/pair?to=${encodeURIComponent(location.pathname + location.search)}`);
    } catch {
      // nobody answers: the watchdog tries again
    }
  }

  function lost() {
    onConnection(false);
    leaveIfSentAway();
    source.close();
    clearTimeout(watchdog);
    watchdog = setTimeout(open, AGAIN_MS);
  }

  function open() {
    heardAt = Date.now();
    source = new EventSource(url);
    onWarnings([]); // what still holds is sent again
    source.addEventListener("match", (event) => {
      alive();
      onMatch(JSON.parse(event.data));
    });
    source.addEventListener("camera", (event) => {
      alive();
      onCamera(JSON.parse(event.data));
    });
    source.addEventListener("warnings", (event) => {
      alive();
      onWarnings(JSON.parse(event.data).warnings);
    });
    source.addEventListener("film", (event) => {
      alive();
      onFilm(JSON.parse(event.data).film);
    });
    source.addEventListener("closed", lost);
    source.addEventListener("error", lost);
    watchdog = setTimeout(lost, SILENCE_MS);
  }

  open();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() - heardAt < STALE_MS) return;
    clearTimeout(watchdog);
    source.close();
    leaveIfSentAway();
    open();
  });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => {
    if (event.persisted) lost();
  });
}
