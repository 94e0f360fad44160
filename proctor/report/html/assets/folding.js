/* Long prompts, folded to their end. The reader's choice holds for all of them, and is remembered where the browser allows it. */

import { el } from "./elements.js";
import { piecesOf, promptBlocks } from "./media.js";
import { count } from "./numbers.js";
import { remember, remembered } from "./theme.js";

const FOLDED_TO = 900;
const CHOICE = "proctor-prompts";
/** @type {boolean | null} */
let unfolded = null;

function isUnfolded() {
  unfolded ??= remembered(CHOICE) === "whole";
  return unfolded;
}

/** @param {boolean} whole */
function setUnfolded(whole) {
  unfolded = whole;
  remember(CHOICE, whole ? "whole" : "end");
  for (const block of document.querySelectorAll(".foldable")) block.dispatchEvent(new Event("fold"));
}

/** The end of a prompt's texts, and all its media; and how many characters are left out before them. @param {Piece[]} pieces */
export function endOf(pieces) {
  let room = FOLDED_TO;
  let left = 0;
  /** @type {Piece[]} */
  const kept = [];
  for (const piece of pieces.toReversed()) {
    if (typeof piece !== "string") {
      kept.unshift(piece);
      continue;
    }
    let part = piece.length > room ? piece.slice(piece.length - room).replace(/^[\udc00-\udfff]/, "") : piece;
    const line = part.length < piece.length ? part.indexOf("\n") : -1;
    if (line >= 0 && line < part.length / 3) part = part.slice(line + 1);
    left += piece.length - part.length;
    room = Math.max(0, room - part.length);
    if (part) kept.unshift(part);
  }
  return { kept, left };
}

/** A prompt, one text or texts and media: whole, or folded to its end if it is long. @param {Prompt} prompt */
export function foldable(prompt) {
  const pieces = piecesOf(prompt);
  const { kept, left } = endOf(pieces);
  if (left === 0) return promptBlocks(prompt);
  const button = el("button", { type: "button", class: "fold", onclick: () => setUnfolded(!isUnfolded()) });
  const texts = el("div");
  const draw = () => {
    button.setAttribute("aria-expanded", String(isUnfolded()));
    button.textContent = isUnfolded() ? "Fold prompts to their end" : "Show whole prompts";
    texts.replaceChildren(...(isUnfolded() ? [] : [el("p", { class: "quiet" }, `… ${count(left)} characters before`)]),
      ...promptBlocks(isUnfolded() ? pieces : kept));
  };
  const block = el("div", { class: "foldable", onfold: draw }, texts, button);
  draw();
  return block;
}
