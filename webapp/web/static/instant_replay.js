// The last bout once more while the game goes on: its film over the table, which goes away by itself. The calls stay
// where they are, and a new one ends it.

import { button, element } from "./elements.js";
import { boutsOf } from "./timeline.js";
import { word } from "./words.js";

const BEFORE_S = 1; // the hand that leads is seen too
const AFTER_S = 0.6;

export class InstantReplay {
  // `place`: the button, hidden where there is nothing to show.
  constructor(place) {
    this.button = place;
    this.video = element("video", { muted: true, playsinline: true });
    this.video.muted = true; // the attribute alone does not do it
    this.title = element("h2", {});
    this.none = element("p", { class: "none", role: "status", hidden: true }, word("replay_none"));
    this.dialog = element(
      "dialog",
      { class: "instant", "aria-label": word("replay_bout") },
      element("header", {}, this.title, button("½×", () => (this.video.playbackRate = this.video.playbackRate === 1 ? 0.5 : 1), { class: "quiet", "aria-label": word("replay_slow") }), button("✕", () => this.end(), { class: "quiet", "aria-label": word("sheet_close") })),
      this.video,
      this.none,
    );
    document.body.append(this.dialog);
    place.addEventListener("click", () => this.play());
    this.dialog.addEventListener("close", () => this.stop());
    this.video.addEventListener("timeupdate", () => this.video.currentTime >= this.untilS && this.end());
    this.video.addEventListener("ended", () => this.end());
    this.video.addEventListener("error", () => this.dialog.open && this.end());
  }

  // What has happened by now; `isFilmed`: does a film of it grow?
  follow(lines, isFilmed) {
    const bouts = boutsOf(lines);
    this.bout = bouts.findLast((bout) => bout.isSwept) ?? bouts.at(-1);
    this.button.hidden = !(isFilmed && this.bout);
  }

  // The line of the call in large type: another one is more important than what has been.
  callIs(line) {
    if (line !== this.called && this.dialog.open) this.end();
    this.called = line;
  }

  async play() {
    const answer = await fetch("/api/live-film").catch(() => null);
    const isFilmed = answer?.status === 200; // in its first second there is a film, and nothing of it to show yet
    this.video.hidden = !isFilmed;
    this.none.hidden = isFilmed;
    if (!isFilmed) {
      this.title.textContent = word("replay_bout");
      this.dialog.showModal();
      return;
    }
    const { match, fragments, began, end } = await answer.json();
    const { number, from, to } = this.bout;
    this.untilS = Math.min(to + AFTER_S, end) - began;
    this.title.textContent = `${word("replay_bout")} · ${word("review_bout", { n: number })}`;
    this.video.src = `/api/matches/${encodeURIComponent(match)}/film?fragments=${fragments}`;
    this.video.currentTime = Math.max(0, Math.min(from - BEFORE_S, end - 1) - began);
    this.video.playbackRate = 1;
    this.dialog.showModal();
    try {
      await this.video.play();
    } catch (fault) {
      if (fault.name !== "AbortError") throw fault; // whoever closes it before it has begun has changed his mind
    }
  }

  end() {
    this.dialog.close();
  }

  stop() {
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.load();
  }
}
