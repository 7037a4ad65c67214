// The page for streaming programs: table and newest call, nothing to press.

import "./board.js";
import { renderCall } from "./calls.js";
import { element } from "./elements.js";
import { renderRail } from "./rail.js";
import { follow } from "./stream.js";

const part = (id) => document.getElementById(id);
const board = document.querySelector("k-board");
const nothing = element("div");

function onMatch(snapshot) {
  part("call").hidden = !snapshot.state.phase;
  if (!snapshot.state.phase) return board.clear();
  renderCall(part("call"), snapshot, null);
  board.show(snapshot);
  renderRail({ turn: part("turn"), stock: part("stock"), buttons: nothing }, snapshot, () => {});
  document.body.dataset.ready = "yes";
  return undefined;
}

follow(`/api/events?language=${document.body.dataset.language}`, { onMatch, onCamera: () => {}, onConnection: () => {} });
