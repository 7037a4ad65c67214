// The gear in the header: what each device chooses for itself (sound, colours, cards) beside its language.

import { redrawCards } from "./cards.js";
import { button, element, show } from "./elements.js";
import { canStayOn } from "./screen.js";
import { allowSound, ownVoice, setVoice, setVolume, store, stored, voiceMode, voiceVolume } from "./voice.js";
import { word } from "./words.js";

const CHOICES = { voice: ["all", "faults", "off"], theme: ["auto", "dark", "light"], deck: ["two", "four"] };
const light = matchMedia("(prefers-color-scheme: light)");

function chosen(name) {
  const kept = stored(name, "");
  return CHOICES[name].includes(kept) ? kept : CHOICES[name][0];
}

const chosenNow = (name) => (name === "voice" ? voiceMode() : chosen(name));

function choose(name, value) {
  if (name !== "voice") store(name, value);
  else {
    setVoice(value);
    allowSound();
  }
  apply();
}

function apply() {
  const theme = chosen("theme");
  const { dataset } = document.documentElement;
  dataset.theme = theme === "auto" ? (light.matches ? "light" : "dark") : theme;
  const deck = chosen("deck");
  if (dataset.deck === deck) return;
  dataset.deck = deck;
  redrawCards();
}

// A second tap, a tap elsewhere and Escape close the menu.
class Gear extends HTMLElement {
  connectedCallback() {
    this.menu = this.querySelector("details");
    this.place = this.querySelector(".settings");
    this.draw();
    globalThis.speechSynthesis?.addEventListener?.("voiceschanged", () => this.draw());
    this.menu.addEventListener("toggle", () => this.draw());
    document.addEventListener("click", (tap) => tap.composedPath().some((each) => each instanceof Element && each.matches(".menu, summary")) || this.close());
    document.addEventListener("keydown", (pressed) => {
      if (pressed.key !== "Escape" || !this.menu.open) return;
      pressed.preventDefault(); // the same key leaves a full screen
      this.close();
    });
  }

  close() {
    if (!this.menu.open) return;
    const hadFocus = this.menu.contains(document.activeElement);
    this.menu.open = false;
    if (hadFocus) this.menu.querySelector("summary").focus();
  }

  choices(name, title, label) {
    const option = (value) => {
      const pick = () => {
        choose(name, value);
        this.draw();
      };
      return button(word(`${label}_${value}`), pick, { class: "setting", "aria-pressed": String(chosenNow(name) === value) });
    };
    return [element("h2", {}, word(title)), element("div", { class: "settings-row" }, ...CHOICES[name].map(option))];
  }

  draw() {
    const volume = element("input", { type: "range", min: "0.1", max: "1", step: "0.1", value: String(voiceVolume()), "aria-label": word("voice_volume"), onchange: ({ target }) => setVolume(Number(target.value)) });
    show(
      this.place,
      ...this.choices("voice", "voice_title", "voice"),
      ownVoice() || voiceMode() === "off" ? null : element("p", { class: "setting-note" }, word("voice_none")),
      volume,
      ...this.choices("theme", "theme_title", "theme"),
      ...this.choices("deck", "deck_colours_title", "deck_colours"),
      element("h2", {}, word("screen_title")),
      element("p", { class: "setting-note" }, word(canStayOn() ? "screen_on" : "screen_set")),
      ...(location.protocol === "https:"
        ? [element("a", { href: "/certificate", download: "kozyr.crt" }, word("certificate_link")), element("p", { class: "setting-note" }, word("certificate_how"))]
        : []),
    );
  }
}

apply();
light.addEventListener("change", apply);
addEventListener("pointerdown", () => allowSound(), { once: true });
customElements.define("k-gear", Gear);
