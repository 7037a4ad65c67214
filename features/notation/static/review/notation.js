// A game in notation is pasted, dropped or chosen as a file, and stepped through. It stays with this tab alone.

import { button, element } from "../elements.js";
import { word } from "../words.js";
import { unpack } from "./packed_text.js";
import { close, open } from "./review.js";

const KEPT = "notation";
const EXAMPLE = `[Rules "podkidnoy-36"]
[Seats Anna Boris Vera]
[Dealer Vera]

dealt 9h  Anna: claim 7h high K  Boris: claim 6h high A
1. Boris: 7s  Vera: 7s/9s  Boris: pass  Anna: 9d  Vera: 9d/Qd  Boris: pass  Anna: pass  >heap  Boris: +1  Anna: +1
   Vera: +2
2. Vera: Kc  Anna: Kc/Ac  Vera: pass  Boris: Ts -Ts Ad  Anna: take  Boris: pass  >Anna  Vera: +1  Boris: +1
`;
const part = (id) => document.getElementById(id);
const LONG_MS = 700; // until it is said that a text is being judged: short ones are there before
let games = [];
let reading = null; // what stops the text that is being judged

// Where the text can't be read: the line is marked in it, so that one sees what is meant.
function point({ text, error, line, column }) {
  const told = part("told");
  const lines = part("text").value.split("\n");
  const piece = line ? /^\S*/.exec(lines[line - 1].slice(column - 1))[0] : "";
  told.replaceChildren(piece ? word("notation_wrong", { line, piece }) : text, " ", element("small", { lang: "en", dir: "ltr" }, error ?? ""));
  told.hidden = false;
  part("paste").parentElement.open = true;
  if (!line) return;
  const begin = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  part("text").focus();
  part("text").setSelectionRange(begin + column - 1, begin + lines[line - 1].length);
}

function choose(place) {
  const { comment } = games[place];
  open(games[place], null);
  part("remark").textContent = comment;
  part("remark").hidden = !comment;
  part("remark").dir = "auto";
  part("paste").parentElement.open = false; // the game has the room
}

// A text that takes longer is judged in a process of its own; who waits for that can stop waiting.
function sayJudging(stopped) {
  part("judging").hidden = false;
  part("judging").replaceChildren(word("notation_judging"), " ", button(word("again_stop"), () => stopped.abort(), { class: "quiet" }));
}

// The packed game of an address, whatever machine and port it names; null where the text is no address of a game.
const packedIn = (text) => /^\S*#game=(\S+)$/.exec(text.trim())?.[1] ?? null;

// Puts the game of an address in its place; returns whether it can be read.
async function unfold(packed) {
  const text = await unpack(packed);
  if (text === null) point({ text: word("refused_notation") });
  else part("text").value = text;
  return text !== null;
}

async function read() {
  const packed = packedIn(part("text").value);
  if (packed !== null && !(await unfold(packed))) return;
  const text = part("text").value;
  if (!text.trim()) return;
  sessionStorage.setItem(KEPT, text);
  part("told").hidden = true;
  reading?.abort(); // the text that was sent before is not shown any more
  const stopped = new AbortController();
  reading = stopped;
  const saying = setTimeout(() => sayJudging(stopped), LONG_MS);
  const name = `${Date.now()}-${Math.random()}`;
  const asked = `/api/notation?language=${document.body.dataset.language}&reading=${name}`;
  // Its process ends, too, also where the page is left.
  stopped.signal.addEventListener("abort", () => fetch(`/api/notation?reading=${name}`, { method: "DELETE", keepalive: true }).catch(() => null));
  const found = await fetch(asked, { method: "POST", headers: { "Content-Type": "text/plain" }, body: text, signal: stopped.signal })
    .then((answer) => answer.json())
    .catch(({ name }) => ({ text: word(name === "AbortError" ? "again_stopped" : "disconnected") }));
  clearTimeout(saying);
  if (reading !== stopped) return; // another text is being read
  reading = null;
  part("judging").hidden = true;
  if (!found.games) {
    close(); // a game that was shown before is not the one that stands there now
    part("which").hidden = part("remark").hidden = true;
    return point(found);
  }
  games = found.games;
  part("which").hidden = games.length < 2;
  part("game").replaceChildren(...games.map((_, place) => element("option", { value: place }, String(place + 1))));
  choose(0);
}

async function take(file) {
  if (!file) return;
  part("text").value = await file.text();
  read();
}

addEventListener("pagehide", () => reading?.abort());
part("paste").addEventListener("submit", (event) => {
  event.preventDefault();
  read();
});
part("text").addEventListener("paste", () => setTimeout(read)); // once the text has arrived
part("example").addEventListener("click", () => {
  part("text").value = EXAMPLE;
  read();
});
part("choose").addEventListener("click", () => part("file").click());
part("file").addEventListener("change", ({ currentTarget }) => take(currentTarget.files[0]));
part("game").addEventListener("change", ({ currentTarget }) => choose(Number(currentTarget.value)));
part("paste").addEventListener("dragover", (event) => event.preventDefault());
part("paste").addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return; // text is the browser's to drop
  event.preventDefault();
  take(event.dataTransfer.files[0]);
});

// A game that came as an address; what the address held is gone from it once it is read, so that a reload shows the tab's.
const arrived = packedIn(location.hash);
if (arrived !== null) history.replaceState(null, "", location.pathname);
if (arrived === null) part("text").value = sessionStorage.getItem(KEPT) ?? "";
if (arrived === null || (await unfold(arrived))) read();
