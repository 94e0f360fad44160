/* Long prompts, folded to their end. The reader's choice holds for all of them, and is remembered where the browser allows it. */

const FOLDED_TO = 900;
const CHOICE = "proctor-prompts";
let unfolded = null;

function isUnfolded() {
  if (unfolded === null) {
    try {
      unfolded = localStorage.getItem(CHOICE) === "whole";
    } catch { // a page from disk may have no storage
      unfolded = false;
    }
  }
  return unfolded;
}

function setUnfolded(whole) {
  unfolded = whole;
  try { localStorage.setItem(CHOICE, whole ? "whole" : "end"); } catch { /* a page from disk may have no storage */ }
  for (const block of document.querySelectorAll(".foldable")) block.dispatchEvent(new Event("fold"));
}

/** The end of a prompt's texts, and all its media: [pieces, how many characters are left out before them]. */
function endOf(pieces) {
  let room = FOLDED_TO;
  let left = 0;
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
  return [kept, left];
}

/** A prompt, one text or texts and media: whole, or folded to its end if it is long. */
function foldable(prompt) {
  const pieces = [prompt].flat();
  const [end, left] = endOf(pieces);
  if (left === 0) return promptBlocks(prompt);
  const block = el("div", { class: "foldable" });
  const draw = () => block.replaceChildren(
    ...(isUnfolded() ? [] : [el("p", { class: "quiet" }, `… ${count(left)} characters before`)]),
    ...promptBlocks(isUnfolded() ? pieces : end),
    el("button", { type: "button", class: "fold", "aria-expanded": String(isUnfolded()), onclick: () => {
      setUnfolded(!isUnfolded());
      block.querySelector(".fold").focus({ preventScroll: true });
    } }, isUnfolded() ? "Fold prompts to their end" : "Show whole prompts"));
  block.addEventListener("fold", draw);
  draw();
  return block;
}
