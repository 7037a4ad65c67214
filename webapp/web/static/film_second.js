// The moment of a line on film, a few times over and then still; a tap shows it again. Nothing is shown without a film.

import { element } from "./elements.js";
import { word } from "./words.js";

const BEFORE_S = 1.2; // a card is reported a little after it came to rest
const AFTER_S = 0.3;
const TIMES = 3; // what moves by itself for longer would have to have a stop

// `base`: `/api` for the game that goes on, `/api/matches/ID` for a kept one; `at`: seconds of the match.
export function filmSecond(base, at) {
  const video = element("video", { class: "second", playsinline: true, preload: "auto" });
  video.muted = true; // the attribute alone does not do it
  const place = element("button", { type: "button", class: "film-second", "aria-label": word("second_again"), title: word("second_again"), hidden: true }, video);
  playSecond(place, video, base, at);
  return place;
}

// Plays the moment in `video`, and shows `place` around it; says whether the film reaches that moment.
export async function playSecond(place, video, base, at) {
  const answer = await fetch(base === "/api" ? "/api/live-film" : `${base}/film/span`).catch(() => null);
  if (answer?.status !== 200 || at === undefined) return false;
  const { match, fragments, began, end } = await answer.json();
  const until = Math.min(at + AFTER_S, end) - began;
  const from = Math.max(at - BEFORE_S - began, 0);
  if (from >= until) return false;
  let left = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : TIMES;
  const again = () => {
    video.currentTime = from;
    video.play().catch(() => {}); // it was closed before it began
  };
  video.ontimeupdate = () => {
    if (video.paused || video.currentTime < until) return;
    left -= 1;
    if (left > 0) again();
    else video.pause();
  };
  place.onclick = () => {
    left = 1;
    again();
  };
  video.addEventListener("loadeddata", () => (place.hidden = false), { once: true });
  video.src = `/api/matches/${encodeURIComponent(match)}/film?fragments=${fragments}`;
  video.currentTime = Math.max(from, until - AFTER_S);
  if (left > 0) again();
  return true;
}
