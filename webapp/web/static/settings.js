// What each device chooses for itself beside its language: colours, and what it says aloud.

import { redrawCards } from "./cards.js";
import { button, element, show } from "./elements.js";
import { canStayOn } from "./screen.js";
import { allowSound, ownVoice, setVoice, setVolume, voiceMode, voiceVolume } from "./voice.js";
import { word } from "./words.js";

const THEMES = ["auto", "dark", "light"];
const light = matchMedia("(prefers-color-scheme: light)");

const DECKS = ["two", "four"];

function chosen(name, values) {
  try {
    const kept = localStorage.getItem(name);
    return values.includes(kept) ? kept : values[0];
  } catch {
    return values[0];
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // a private window forgets; what was chosen before stays
  }
}

const chosenTheme = () => chosen("theme", THEMES);

function applyDeck() {
  document.documentElement.dataset.deck = chosen("deck", DECKS);
  redrawCards();
}

function applyTheme() {
  const theme = chosenTheme();
  document.documentElement.dataset.theme = theme === "auto" ? (light.matches ? "light" : "dark") : theme;
}

function choice(label, isOn, onclick) {
  return button(label, onclick, { class: "setting", "aria-pressed": String(isOn) });
}

function render(place) {
  const again = () => render(place);
  show(
    place,
    element("h2", {}, word("voice_title")),
    element(
      "div",
      { class: "settings-row" },
      ...["all", "faults", "off"].map((mode) =>
        choice(word(`voice_${mode}`), voiceMode() === mode, () => {
          setVoice(mode);
          allowSound();
          again();
        }),
      ),
    ),
    ownVoice() || voiceMode() === "off" ? null : element("p", { class: "setting-note" }, word("voice_none")),
    volumeField(),
    element("h2", {}, word("theme_title")),
    element(
      "div",
      { class: "settings-row" },
      ...THEMES.map((theme) =>
        choice(word(`theme_${theme}`), chosenTheme() === theme, () => {
          keep("theme", theme);
          applyTheme();
          again();
        }),
      ),
    ),
    element("h2", {}, word("deck_colours_title")),
    element(
      "div",
      { class: "settings-row" },
      ...DECKS.map((deck) =>
        choice(word(`deck_colours_${deck}`), chosen("deck", DECKS) === deck, () => {
          keep("deck", deck);
          applyDeck();
          again();
        }),
      ),
    ),
    element("h2", {}, word("screen_title")),
    element("p", { class: "setting-note" }, word(canStayOn() ? "screen_on" : "screen_set")),
    ...(location.protocol === "https:"
      ? [element("a", { href: "/certificate", download: "kozyr.crt" }, word("certificate_link")), element("p", { class: "setting-note" }, word("certificate_how"))]
      : []),
  );
}

function volumeField() {
  const field = element("input", { type: "range", min: "0.1", max: "1", step: "0.1", value: String(voiceVolume()), "aria-label": word("voice_volume") });
  field.addEventListener("change", () => setVolume(Number(field.value)));
  return field;
}

applyTheme();
applyDeck();
light.addEventListener("change", applyTheme);
addEventListener("pointerdown", () => allowSound(), { once: true });
const place = document.getElementById("settings");
if (place) {
  render(place);
  globalThis.speechSynthesis?.addEventListener?.("voiceschanged", () => render(place));
  place.closest("details").addEventListener("toggle", () => render(place));
}
