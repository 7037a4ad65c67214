// Between two games: who plays the next one and where, the standing, and the fool of the evening.

import { drawDialog, newDialog } from "./dialog.js";
import { button, element } from "./elements.js";
import { ask } from "./refusal.js";
import { listed, word } from "./words.js";

const [LEAST, MOST] = [2, 6]; // players

// A table of losses, the most first.
function lossesTable(lost) {
  const rows = Object.entries(lost).sort(([, one], [, other]) => other - one);
  return element(
    "table",
    { class: "losses" },
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, word("scores_player")), element("th", { scope: "col" }, word("scores_lost")))),
    element("tbody", {}, ...rows.map(([name, count]) => element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, name)), element("td", {}, String(count))))),
  );
}

// Who lost most often; several where they are level, nobody where nobody lost.
export function foolsOf(lost) {
  const most = Math.max(0, ...Object.values(lost));
  return most ? Object.keys(lost).filter((name) => lost[name] === most) : [];
}

export class BetweenGames {
  // `order(values)` sends what comes next.
  constructor(order) {
    this.order = order;
    this.seatsDialog = newDialog(word("seats_next"));
    this.eveningDialog = newDialog(word("evening_end"));
  }

  // Seats are changed, somebody goes or joins, and the next game begins: no set-up.
  async chooseSeats(seats) {
    const { choices } = await ask(`/api/setup?language=${document.body.dataset.language}`);
    this.names = choices?.names ?? [];
    this.seats = [...seats];
    this.drawSeats();
  }

  drawSeats() {
    const { seats } = this;
    const change = (next) => {
      this.seats = next;
      this.drawSeats();
    };
    const swap = (place, other) => change(seats.map((name, n) => (n === place ? seats[other] : n === other ? seats[place] : name)));
    const row = (name, place) =>
      element(
        "li",
        {},
        element("bdi", {}, name),
        button("↑", () => swap(place, place - 1), { class: "quiet", disabled: place === 0, "aria-label": word("seats_up", { name }) }),
        button("↓", () => swap(place, place + 1), { class: "quiet", disabled: place === seats.length - 1, "aria-label": word("seats_down", { name }) }),
        button("×", () => change(seats.filter((each) => each !== name)), { class: "quiet", disabled: seats.length <= LEAST, "aria-label": word("remove_player", { name }) }),
      );
    const field = element("input", { "aria-label": word("player_name"), placeholder: word("player_name"), maxlength: 32, autocomplete: "off" });
    const add = (name) => name && !seats.includes(name) && seats.length < MOST && change([...seats, name]);
    field.addEventListener("keydown", (pressed) => pressed.key === "Enter" && add(field.value.trim()));
    const others = this.names.filter((name) => !seats.includes(name)).slice(0, 8);
    drawDialog(
      this.seatsDialog,
      word("seats_next"),
      element("p", { class: "why" }, word("seats_next_why")),
      element("ol", { class: "next-seats" }, ...seats.map(row)),
      seats.length < MOST
        ? element("div", { class: "choices" }, field, button(word("add_player"), () => add(field.value.trim()), { class: "plain-choice" }), ...others.map((name) => button(`+ ${name}`, () => add(name), { class: "plain-choice" })))
        : null,
      element("p", { class: "confirm" }, button(word("next_game"), () => this.begin(seats))),
    );
  }

  async begin(seats) {
    this.seatsDialog.close();
    await this.order({ next: true, seats });
  }

  // The evening is over: its losses, and who is its fool.
  endEvening({ evening }) {
    const fools = foolsOf(evening.lost);
    drawDialog(
      this.eveningDialog,
      fools.length ? word("evening_fool", { who: listed(fools) }) : word("evening_no_fool"),
      lossesTable(evening.lost),
      element("p", {}, element("a", { class: "button quiet", href: "/evenings" }, word("evenings_link"))),
    );
  }
}
