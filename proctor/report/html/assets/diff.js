/* Two texts beside one another, with what is another in them marked. */

import { el } from "./elements.js";
import { headLine } from "./tables.js";
import { shown } from "./text.js";

const MOST_CELLS = 4_000_000; // of the table that a comparison takes: half a second at most

/** How one list becomes another: runs of items that both have, and between them what each has alone.
 * @param {string[]} one
 * @param {string[]} other
 * @returns {Change[] | null} Null where they are too long to tell.
 */
export function changes(one, other) {
  let from = 0, end = 0;
  while (from < one.length && from < other.length && one[from] === other[from]) from += 1;
  while (end < one.length - from && end < other.length - from && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const a = one.slice(from, one.length - end), b = other.slice(from, other.length - end);
  if (a.length * b.length > MOST_CELLS) return null;
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width); // longest common subsequence of what follows
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  /** @type {Change[]} */
  const found = [];
  const last = (/** @type {boolean} */ kept) => {
    if (found.at(-1)?.kept !== kept) found.push({ kept, before: [], after: [] });
    return found[found.length - 1];
  };
  const keep = (/** @type {string[]} */ items) => {
    for (const item of items) {
      last(true).before.push(item);
      last(true).after.push(item);
    }
  };
  keep(one.slice(0, from));
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      keep([a[i]]);
      i += 1;
      j += 1;
    } else if (j === b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) last(false).before.push(a[i++]);
    else last(false).after.push(b[j++]);
  }
  keep(one.slice(one.length - end));
  return found;
}

/** The lines of two texts, paired: equal ones beside one another, what is only in one beside nothing or what replaced it.
 * @param {string} left
 * @param {string} right
 * @returns {[string | null, string | null][]}
 */
export function pairedLines(left, right) {
  const [a, b] = [left, right].map((text) => text === "" ? [] : text.replace(/\n$/, "").split("\n"));
  return (changes(a, b) || [{ kept: false, before: a, after: b }]).flatMap(({ before, after }) =>
    Array.from({ length: Math.max(before.length, after.length) }, (_, place) =>
      /** @type {[string | null, string | null]} */ ([before[place] ?? null, after[place] ?? null])));
}

/** Words, blanks and single other characters, whose sum is the text. @param {string} text */
function wordsIn(text) { return text.match(/\s+|[\p{L}\p{N}_]+|./gsu) || []; }

/** @param {string} text */
function linesIn(text) { return text.match(/[^\n]*\n|[^\n]+/g) || []; }

/** The same without blanks that are kept between changes: what is another reads better in one piece. @param {Change[]} found */
function withoutGaps(found) {
  /** @type {Change[]} */
  const joined = [];
  for (const [place, one] of found.entries()) {
    const last = joined.at(-1);
    const isGap = one.kept && last && !last.kept && place < found.length - 1 && /^[^\S\n]+$/.test(one.before.join(""));
    if (last && (isGap || last.kept === one.kept)) {
      for (const item of one.before) last.before.push(item);
      for (const item of one.after) last.after.push(item);
    } else joined.push(one);
  }
  return joined;
}

/** Two texts in parts, word by word, or line by line where they are long.
 * @param {string} before
 * @param {string} after
 * @returns {[Part[], Part[]]} The parts of the one, and those of the other.
 */
export function diffParts(before, after) {
  for (const split of [wordsIn, linesIn]) {
    const told = changes(split(before), split(after));
    if (!told) continue;
    const found = withoutGaps(told);
    /** @param {"before" | "after"} of */
    const side = (of) => found.filter((one) => one[of].length).map((one) => ({ kept: one.kept, text: one[of].join("") }));
    return [side("before"), side("after")];
  }
  return [[{ kept: false, text: before }], [{ kept: false, text: after }]]; // nothing to tell where they are alike
}

/** A text in which what the other one does not have is marked. @param {Part[]} parts @param {"ins" | "del"} tag */
function diffBlock(parts, tag) {
  return el("div", { class: "text", dir: "auto", translate: "no" }, parts.map(({ kept, text }) => (kept ? shown(text) : el(tag, {}, shown(text)))));
}

/** Two texts side by side, word by word; each may be missing.
 * @param {string | null | undefined} before
 * @param {string | null | undefined} after
 * @param {Child[]} heads What stands above each.
 */
export function sideBySide(before, after, heads) {
  const texts = [before ?? null, after ?? null];
  const whole = (/** @type {string | null} */ text) => (text === null ? null : [{ kept: true, text }]);
  const parts = typeof before === "string" && typeof after === "string" ? diffParts(before, after) : texts.map(whole);
  /** @param {Part[] | null} of @param {number} side */
  const content = (of, side) => of === null ? el("p", { class: "quiet" }, "none")
    : texts[side] === "" ? el("p", { class: "quiet" }, "An empty text.") : diffBlock(of, side ? "ins" : "del");
  return el("div", { class: "sides" }, parts.map((of, side) =>
    el("div", { class: "side" }, heads[side], content(of, side))));
}

/** Two texts in a table, line by line.
 * @param {string} left
 * @param {string} right
 * @param {string} leftTitle
 * @param {string} rightTitle
 */
export function diffTable(left, right, leftTitle, rightTitle) {
  /** @param {string | null} line @param {string | null} other @param {string} mark @param {"ins" | "del"} kind */
  const cell = (line, other, mark, kind) => {
    if (line === null) return el("td", { class: "absent" });
    if (line === other) return el("td", {}, shown(line));
    return el("td", { class: kind }, el(kind, {}, el("span", { class: "mark" }, `${mark} `), shown(line)));
  };
  return el("div", { class: "scroll" }, el("table", { class: "diff" }, headLine([leftTitle, rightTitle], 2),
    el("tbody", {}, pairedLines(left, right).map(([a, b]) => el("tr", {}, cell(a, b, "\u2212", "del"), cell(b, a, "+", "ins"))))));
}
