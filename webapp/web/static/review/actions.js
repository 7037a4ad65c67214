// What can be done with the chosen event: put it right, write something to it, and share it as a picture, a link or a film.

import { copy } from "../copy.js";
import { undoButton } from "../corrections.js";
import { button, element } from "../elements.js";
import { eventText } from "../event_text.js";
import { post, whyNot } from "../refusal.js";
import { toast } from "../toast.js";
import { word } from "../words.js";

// Draws the picture's SVG on a canvas and saves it as PNG.
async function savePicture(address, name) {
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch {
    return toast(word("disconnected"));
  }
  const canvas = element("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return save(await new Promise((done) => canvas.toBlob(done)), name);
}

function save(blob, name) {
  const saved = URL.createObjectURL(blob);
  element("a", { href: saved, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(saved), 1000);
}

const CAPTION = { width: 1280, height: 120, size: 44 };

// The caption of a film as a picture: the page has the letters of every language.
function drawnCaption(text) {
  const { width, height, size } = CAPTION;
  const canvas = element("canvas", { width, height });
  const draw = canvas.getContext("2d");
  draw.fillStyle = "#0c1a15";
  draw.fillRect(0, 0, width, height);
  Object.assign(draw, { fillStyle: "#f7f1e3", font: `600 ${size}px sans-serif`, textAlign: "center", textBaseline: "middle", direction: document.dir || "ltr" });
  draw.fillText(text, width / 2, height / 2, width - 60);
  return new Promise((done) => canvas.toBlob(done));
}

export class EventActions {
  // `base`: where the match is served; `onWrite`: one is being written; `onComment`: it was kept.
  constructor(place, sharing, { base, match, sheet, onWrite, onComment }) {
    Object.assign(this, { place, sharing, base, match, sheet, onWrite, onComment });
    this.mayChange = document.body.dataset.role === "referee";
  }

  // All actions at once, each once: they belong to this step; none before the first.
  show(step, corrections = [], calls = []) {
    this.place.hidden = !step;
    if (!step) return;
    const { line } = step;
    const correction = corrections.find((each) => (each.about ?? each.line) === line);
    const change = this.mayChange ? [this.commentButton(step)] : [];
    if (this.sheet.mayCorrect) change.unshift(button(word("review_correct"), () => this.sheet.line(line), { class: "quiet" }));
    if (correction && this.sheet.mayCorrect) change.unshift(undoButton(correction, this.sheet));
    this.place.replaceChildren(...change);
    const picture = `${this.base}/position.svg?line=${line}&language=${document.body.dataset.language}`;
    const film = this.filmButton(line, [...calls.filter((call) => call.ruling).map(({ text }) => text), eventText(step.event)][0]);
    const ways = [
      [button(word("share_png"), () => savePicture(picture, `${this.match}-${line}.png`), { class: "quiet" }), word("share_png_why")],
      [element("a", { class: "quiet button", href: picture, download: `${this.match}-${line}.svg` }, word("share_svg")), word("share_svg_why")],
      [this.linkButton(line), word("review_link_why")],
      ...(film ? [[film, word("share_film_why")]] : []),
    ];
    this.sharing.replaceChildren(...ways.map(([way, why]) => element("p", { class: "explained" }, way, element("span", {}, why))));
    document.getElementById("moment-zip")?.setAttribute("href", `${this.base}/moment.zip?line=${line}`);
  }

  // Ten seconds of film with what was ruled beneath, where there is a film.
  filmButton(line, caption) {
    if (!this.mayChange || !document.querySelector("main").classList.contains("filmed")) return null;
    const made = button(word("share_film"), async () => {
      made.disabled = true;
      const body = await drawnCaption(caption);
      const answer = await fetch(`${this.base}/moment.mp4?line=${line}`, { method: "POST", headers: { "Content-Type": "image/png" }, body }).catch(() => null);
      if (answer?.ok) save(await answer.blob(), `${this.match}-${line}.mp4`);
      else toast(await whyNot(answer));
      made.disabled = false;
    }, { class: "quiet" });
    return made;
  }

  // The address that other devices reach; where there is none, that is said.
  linkButton(line) {
    const path = `/matches/${encodeURIComponent(this.match)}#line=${line}`;
    const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
    const { reach } = document.querySelector("main").dataset;
    const address = `${isHere && reach ? reach.replace(/\/$/, "") : location.origin}${path}`;
    return button(word("review_link"), async () => {
      await copy(address);
      toast(word(isHere && !reach ? "link_only_here" : "review_link_copied"));
    }, { class: "quiet", title: address });
  }

  commentButton({ line, comment = "" }) {
    return button(word(comment ? "comment_change" : "comment_write"), () => this.write(line, comment), { class: "quiet" });
  }

  // Pauses the film, so that its next event does not replace the text field.
  write(line, comment) {
    this.onWrite();
    const field = element("textarea", { rows: 2, dir: "auto", maxlength: 500, "aria-label": word("comment_label") });
    field.value = comment;
    const trouble = element("p", { class: "trouble", role: "alert", hidden: true });
    const keep = async () => {
      const answer = await post(`${this.base}/comment`, { line, comment: field.value });
      if (answer?.ok) return this.onComment();
      trouble.hidden = false;
      trouble.textContent = await whyNot(answer);
      return undefined;
    };
    const cancel = () => this.onComment();
    this.place.replaceChildren(element("div", { class: "comment" }, field, trouble, element("span", { class: "buttons" }, button(word("comment_keep"), keep), button(word("cancel"), cancel, { class: "quiet" }))));
    field.focus();
  }
}
