/* Blocks of text from outside, and trees of values. */

import { el, nodes } from "./elements.js";
import { count } from "./numbers.js";
import { cut, plain, shown } from "./text.js";

const FIRST_SHOWN = 4000;

/** A block of text from outside, cut at first if it is long.
 * @param {string} text
 * @param {Span[]} spans Start and end, in UTF-16 units, of the parts to mark.
 * @param {string} label What a screen reader calls the marked parts.
 */
export function textBlock(text, spans = [], label = "read as the answer") {
  const block = el("div", { class: "text", dir: "auto", translate: "no" });
  const draw = (/** @type {number} */ end) => {
    /** @type {Child[]} */
    const parts = [];
    let from = 0;
    for (const [start, stop] of spans.filter((span) => span[0] < end)) {
      parts.push(shown(text.slice(from, start)));
      parts.push(el("mark", { title: label }, shown(text.slice(start, Math.min(stop, end)))));
      from = Math.min(stop, end);
    }
    parts.push(shown(text.slice(from, end)));
    block.replaceChildren(...nodes(parts));
  };
  // Not between the halves of a surrogate pair.
  draw(/[\ud800-\udbff]/.test(text[FIRST_SHOWN - 1] ?? "") ? FIRST_SHOWN - 1 : FIRST_SHOWN);
  if (text.length <= FIRST_SHOWN) return block;
  const further = spans.length && spans[0][0] >= FIRST_SHOWN
    ? el("p", { class: "further" }, `Further down, ${label}: `, el("mark", {}, shown(cut(text.slice(...spans[0]), 300)))) : null;
  const more = el("button", { type: "button", class: "show-all", onclick: () => {
    draw(text.length);
    more.remove();
    block.tabIndex = 0;
    block.focus({ preventScroll: true });
  } }, `Show all ${count(text.length)} characters`);
  return el("div", {}, further, block, more);
}

/** Scroll blocks of text to the first part that is marked in them. @param {Element} within */
export function scrollToMarks(within) {
  for (const mark of within.querySelectorAll(".text mark:first-of-type")) {
    const block = mark.closest(".text");
    if (block) block.scrollTop = mark.getBoundingClientRect().top - block.getBoundingClientRect().top - 40;
  }
}

/** JSON as a tree that opens and closes.
 * @param {unknown} value
 * @param {string | null} name
 * @returns {HTMLElement}
 */
export function tree(value, name = null, open = true) {
  const label = name === null ? [] : [el("span", { class: "key" }, shown(name)), ": "];
  if (value === null || typeof value !== "object") {
    const whole = typeof value === "string" ? value : JSON.stringify(value);
    return typeof value === "string" && (value.length > 80 || value.includes("\n"))
      ? el("div", { class: "leaf" }, label, textBlock(whole))
      : el("div", { class: "leaf" }, label, el("bdi", {}, shown(whole)));
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `${entries.length} ${entries.length === 1 ? "entry" : "entries"}`
    : entries.map(([key]) => plain(key)).slice(0, 6).join(", ");
  const node = el("details", { class: "tree", open: open && entries.length <= 20 },
    el("summary", {}, label, el("span", { class: "quiet" }, plain(size, 80) || "empty")));
  const fill = () => { if (node.childElementCount === 1) node.append(...entries.map(([k, v]) => tree(v, k, false))); };
  if (node.open) fill();
  node.addEventListener("toggle", fill); // parts that are not looked at cost nothing
  return node;
}
