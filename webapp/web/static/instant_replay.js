// A moment of the game that goes on once more on film: the last bout when somebody asks, a fault when it is called, the last
// play when somebody challenges it. The calls stay where they are, and a new one ends the replay.

import { button, element } from "./elements.js";
import { boutsOf } from "./timeline.js";
import { word } from "./words.js";

const BEFORE_S = 1; // the hand that leads is shown too
const BEFORE_MOMENT_S = 2.5; // of a single play the hand that comes in
const AFTER_S = 0.6;
const SLOW = 0.5;
const LEAST_PX = 220; // title, a picture that can be recognised, and controls
const LINGERS_MS = 1500; // a replay that nobody touched goes away so long after its end
const FILM_EVERY_MS = 700; // so often a film that does not reach the moment yet is asked for again
const FILM_TRIES = 8;

export class InstantReplay {
  // `place`: the button that shows the last bout, hidden where there is nothing to show.
  constructor(place) {
    this.button = place;
    this.video = element("video", { muted: true, playsinline: true });
    this.video.muted = true; // the attribute alone does not do it
    this.title = element("h2", {});
    this.verdict = element("p", { class: "verdict", role: "status", hidden: true });
    this.none = element("p", { class: "none", role: "status", hidden: true }, word("replay_none"));
    this.controls = this.makeControls();
    const close = button("✕", () => this.end(), { class: "quiet", "aria-label": word("sheet_close") });
    this.dialog = element("dialog", { class: "instant", "aria-label": word("replay_bout") }, element("header", {}, this.title, close), this.verdict, this.video, this.none, this.controls);
    document.body.append(this.dialog);
    place.addEventListener("click", () => this.playBout());
    this.dialog.addEventListener("close", () => this.stop());
    this.video.addEventListener("timeupdate", () => this.onTime());
    this.video.addEventListener("ended", () => this.onEnd());
    this.video.addEventListener("error", () => this.dialog.open && this.video.src && this.end());
    for (const event of ["play", "pause"]) this.video.addEventListener(event, () => this.drawControls());
  }

  makeControls() {
    this.pauseButton = this.control("", () => (this.video.paused ? this.resume() : this.video.pause()), { class: "quiet" });
    this.slowButton = this.control("½×", () => this.setRate(this.video.playbackRate === 1 ? SLOW : 1), { class: "quiet", "aria-label": word("replay_slow"), "aria-pressed": "false" });
    this.repeatButton = this.control("⟲", () => this.setRepeat(!this.repeats), { class: "quiet", "aria-label": word("replay_repeat"), "aria-pressed": "false" });
    this.seek = element("input", { type: "range", min: 0, max: 1, step: 0.02, value: 0, "aria-label": word("replay_seek") });
    this.seek.addEventListener("input", () => {
      this.isTouched = true;
      this.video.currentTime = Number(this.seek.value);
    });
    return element("div", { class: "replay-controls" }, this.pauseButton, this.seek, this.repeatButton, this.slowButton);
  }

  // A control: whoever taps one keeps the replay open.
  control(label, act, attributes) {
    return button(label, () => {
      this.isTouched = true;
      act();
    }, attributes);
  }

  drawControls() {
    const { paused } = this.video;
    this.pauseButton.textContent = paused ? "▶" : "❚❚";
    this.pauseButton.setAttribute("aria-label", word(paused ? "review_play" : "review_pause"));
  }

  setRate(rate) {
    this.video.playbackRate = rate;
    this.slowButton.setAttribute("aria-pressed", String(rate !== 1));
  }

  setRepeat(repeats) {
    this.repeats = repeats;
    this.repeatButton.setAttribute("aria-pressed", String(repeats));
    if (repeats && this.video.paused) this.resume();
  }

  // What has happened by now; `isFilmed`: does a film of it grow?
  follow(steps, isFilmed) {
    const bouts = boutsOf(steps);
    this.bout = bouts.findLast((bout) => bout.end !== null) ?? bouts.at(-1);
    this.isFilmed = Boolean(isFilmed);
    this.button.hidden = !(isFilmed && this.bout);
  }

  // The line of the call in large type: another one than that which is shown is more important than what has been.
  callIs(line) {
    if (line !== this.called && line !== this.about && this.dialog.open) this.end();
    this.called = line;
  }

  async playBout() {
    if (this.dialog.open) this.end(); // a moment is shown beside the game
    this.dialog.removeAttribute("style"); // it may have taken the place of the live picture before
    this.about = this.called;
    const film = await this.film();
    this.verdict.hidden = true;
    this.video.hidden = this.controls.hidden = !film;
    this.none.hidden = Boolean(film);
    this.title.textContent = word("replay_bout");
    if (!film) return this.dialog.showModal();
    const { number, from, to } = this.bout;
    this.title.textContent = `${word("replay_bout")} · ${word("review_bout", { n: number })}`;
    this.load(film, from - BEFORE_S, to + AFTER_S, 1);
    this.dialog.showModal();
    return this.resume();
  }

  // One moment, beside the game: `about` is the line it belongs to, `verdict` what was said of it.
  async playMoment({ at, about, title, verdict = "", rate = 1 }) {
    if (!this.isFilmed || at === undefined || this.dialog.matches(":modal")) return;
    if (this.dialog.open) this.end();
    this.about = about;
    const film = await this.filmUntil(at);
    if (!film || this.about !== about || this.dialog.open) return;
    this.none.hidden = true;
    this.video.hidden = this.controls.hidden = false;
    this.title.textContent = title;
    this.verdict.textContent = verdict;
    this.verdict.hidden = !verdict;
    this.load(film, at - BEFORE_MOMENT_S, at + AFTER_S, rate);
    this.placeOverPicture();
    this.dialog.show();
    document.activeElement?.blur(); // it came by itself: keys go on meaning what they meant
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.isTouched = true;
    else await this.resume();
  }

  // Where there is room for all beside each other it takes the place of the live picture, and covers nothing to tap.
  placeOverPicture() {
    const picture = document.querySelector(".picture");
    if (!picture || !matchMedia("(min-width: 901px)").matches) return this.dialog.removeAttribute("style");
    const { top, left, width, height } = picture.getBoundingClientRect();
    Object.assign(this.dialog.style, { inset: `${top}px auto auto ${left}px`, width: `${width}px` });
    this.dialog.style.maxHeight = this.verdict.hidden ? `${Math.max(height, LEAST_PX)}px` : "";
    return undefined;
  }

  async film() {
    const answer = await fetch("/api/live-film").catch(() => null);
    return answer?.status === 200 ? answer.json() : null; // in its first second there is a film, and nothing of it to show
  }

  async filmUntil(at) {
    for (let tries = 0; tries < FILM_TRIES; tries += 1) {
      const film = await this.film();
      if (film && film.end >= at) return film;
      await new Promise((done) => setTimeout(done, FILM_EVERY_MS));
    }
    return null;
  }

  // From second to second of the match, as far as the film goes.
  load({ match, fragments, began, end }, from, to, rate) {
    this.fromS = Math.max(0, Math.min(from, end - 1) - began);
    this.untilS = Math.min(to, end) - began;
    Object.assign(this.seek, { min: this.fromS, max: this.untilS, value: this.fromS });
    this.isTouched = false;
    this.video.src = `/api/matches/${encodeURIComponent(match)}/film?fragments=${fragments}`;
    this.video.currentTime = this.fromS;
    this.setRepeat(false);
    this.setRate(rate);
    this.drawControls();
  }

  async resume() {
    if (this.video.currentTime >= this.untilS - 0.05) this.video.currentTime = this.fromS;
    try {
      await this.video.play();
    } catch (fault) {
      if (fault.name !== "AbortError") throw fault; // it was closed before it had begun
    }
  }

  onTime() {
    this.seek.value = String(this.video.currentTime);
    if (!this.video.paused && this.video.currentTime >= this.untilS) this.onEnd();
  }

  onEnd() {
    if (!this.dialog.open) return;
    if (this.repeats) {
      this.video.currentTime = this.fromS;
      this.resume();
      return;
    }
    this.video.pause();
    clearTimeout(this.leaving);
    this.leaving = setTimeout(() => this.isTouched || this.end(), LINGERS_MS);
  }

  end() {
    this.dialog.close();
  }

  stop() {
    clearTimeout(this.leaving);
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.load();
  }
}
