// The page for streaming programs: table and newest call, nothing to press.

import { renderCall } from "./calls.js";
import { element } from "./elements.js";
import { clearFelt, renderFelt, renderRail } from "./felt.js";
import { follow } from "./stream.js";

const part = (id) => document.getElementById(id);
const felt = document.querySelector(".felt");
const nothing = element("div");

function onMatch(snapshot) {
  part("call").hidden = !snapshot.state.phase;
  if (!snapshot.state.phase) return clearFelt(felt);
  renderCall(part("call"), snapshot, null);
  renderFelt(felt, snapshot);
  renderRail({ turn: part("turn"), stock: part("stock"), buttons: nothing }, snapshot, () => {});
  document.body.dataset.ready = "yes";
  return undefined;
}

follow(`/api/events?language=${document.body.dataset.language}`, { onMatch, onCamera: () => {}, onConnection: () => {} });
