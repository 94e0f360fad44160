/* Text from outside: what would hide in it made visible, and its parts counted and cut. */

import { el } from "./elements.js";

// Characters that would be invisible, or change how those around them are shown. U+200C and U+200D join real scripts.
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A character's number as Unicode writes it. @param {string} character */
function codePoint(character) {
  return `U+${Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** What stands for a character that would not be seen: a picture of a control character, or its number.
 * @param {string} character
 */
function picture(character) {
  const code = Number(character.codePointAt(0));
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : codePoint(character);
}

/** The first characters of a text that is longer than *most* units, without half a surrogate pair at its end.
 * @param {string} text
 * @param {number} most
 */
export function cut(text, most) {
  return text.length > most ? text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "") + "…" : text;
}

/** Text for places that hold no elements, such as SVG labels: hidden characters made visible, cut to a length.
 * @param {unknown} text
 */
export function plain(text, most = Infinity) {
  return cut(String(text), most).replace(HIDDEN, picture);
}

/** A name in code, such as a metric's, as words. @param {unknown} name */
export function words(name) { return plain(name).replaceAll("_", " "); }

/** Text as nodes, hidden characters marked as what they are.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function shown(text) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found[0] === "\r" && text[found.index + 1] === "\n") continue;
    parts.push(text.slice(from, found.index));
    parts.push(el("span", { class: "hidden-character", title: `the character ${codePoint(found[0])}` }, picture(found[0])));
    from = found.index + found[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

/** Spans in code points, as Python counts them, in UTF-16 units, as this language does.
 * @param {string} text
 * @param {Span[]} spans
 * @returns {Span[]}
 */
export function inUnits(text, spans) {
  if (!/[\ud800-\udfff]/.test(text)) return spans;
  const wanted = new Set(spans.flat());
  /** @type {Map<number, number>} */
  const units = new Map();
  let point = 0;
  let unit = 0;
  for (const character of text) {
    if (wanted.has(point)) units.set(point, unit);
    point += 1;
    unit += character.length;
  }
  units.set(point, unit);
  return spans.map(([start, end]) => [units.get(start) ?? unit, units.get(end) ?? unit]);
}
