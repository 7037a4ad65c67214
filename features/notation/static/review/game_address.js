// A whole game with its comments as one address, which opens in the kozyr of whoever gets it.

import { copy } from "../copy.js";
import { toast } from "../toast.js";
import { word } from "../words.js";
import { whyNot } from "../refusal.js";
import { pack } from "./packed_text.js";

const { match } = document.querySelector("main").dataset;

// `opensAt`: where kozyr is found on the machine that it runs on, whoever's that is.
document.getElementById("game-address")?.addEventListener("click", async ({ currentTarget }) => {
  const { opensAt } = currentTarget.dataset;
  const answer = await fetch(`/api/matches/${encodeURIComponent(match)}/game.durak`).catch(() => null);
  if (!answer?.ok) return toast(await whyNot(answer));
  await copy(`${opensAt}#game=${await pack(await answer.text())}`);
  return toast(word("game_address_copied"));
});
