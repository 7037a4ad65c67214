// The page's words in the reader's language, and cards spelt out for people who listen to the page.

const words = JSON.parse(document.getElementById("words").textContent);
const counts = JSON.parse(document.getElementById("counts").textContent);
const plurals = new Intl.PluralRules(document.documentElement.lang);

// From right to left a name or a card keeps its own direction, so that its signs stay with it; what is put together of
// such parts runs as the page does.
const isolated = document.documentElement.dir === "rtl" ? (value) => `${String(value).includes("\u2068") ? "\u2067" : "\u2068"}${value}\u2069` : (value) => value;

// A label with its values filled in. `{card:the}` asks for a form of a card's name, which `named` gives.
export function word(key, values = {}) {
  return words[key].replace(/\{(\w+)(?::(\w+))?\}/g, (_, name, form = "") => isolated(typeof values[name] === "function" ? values[name](form) : values[name]));
}

// A form of a word out of all, which | divides in the order of `card_forms`; the only one if it has no others.
export function inForm(key, form = "") {
  const forms = words[key].split("|");
  return forms.length > 1 ? forms[word("card_forms").split("|").indexOf(form)] : forms[0];
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const hasWord = (key) => key in words;

// A rule set by its name in this language; one that this program does not know, by its own.
export function rulesName(name) {
  const key = `rules_${name.replaceAll("-", "_")}`;
  return key in words ? word(key) : name;
}

// A value of an option of the rules as a sentence; the usual one, of which rule sets say nothing, says that it is off.
export function optionSentence(option, { text }) {
  return text || word(`option_off_${option}`);
}

// "3 players": the form of a word that goes with a number.
export function counted(key, n) {
  const forms = counts[key];
  return (forms[plurals.select(n)] ?? forms.other).replace("{n}", n);
}

export function cardsCounted(n) {
  return counted("hand", n);
}

export function cardName(card, form = "") {
  if (card === "back") return word("face_down");
  return word("card_name", { rank: inForm(`rank_${card[0]}`, form), suit: word(`suit_${card[1]}`) });
}

// Cards as a value of a label, which chooses the form; `name`: how one is named.
export const named = (name, ...cards) => (form) => (cards.length > 1 ? listed(cards.map((card) => name(card, form))) : name(cards[0], form));

export function listed(names) {
  return new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(names.map(isolated));
}

// A long name breaks between syllables, with a hyphen, where it has to break at all.
const VOWEL = "[aeiouyàâäáãåéèêëíîïóôöúùûüаеёиоуыэюя]";
const CONSONANT = `(?!${VOWEL})\\p{L}`;
const SYLLABLE = new RegExp(`(?<=\\p{L}{2}${VOWEL})(?=${CONSONANT}${VOWEL}\\p{L})|(?<=\\p{L}${VOWEL}${CONSONANT})(?=(?:${CONSONANT}){1,2}${VOWEL})`, "giu");
const SOFT_HYPHEN = "\u00ad";
const LONG_WORD = 15; // letters: shorter ones fit in a line of a call

export function breakable(text) {
  return text.replace(/\p{L}+/gu, (each) => (each.length < LONG_WORD ? each : each.replace(SYLLABLE, SOFT_HYPHEN)));
}

const shares = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" });

export const percent = (share) => shares.format(share);

// Minutes and seconds of a match; `tenths`: of seconds as well.
export function clockText(at, tenths = false) {
  const [seconds, rest] = [Math.max(0, Math.floor(at)), Math.floor(at * 10) % 10];
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}${tenths ? `.${Math.max(0, rest)}` : ""}`;
}
