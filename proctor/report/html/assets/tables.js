/* Heads of tables, and lists of facts. */

import { el } from "./elements.js";

/** The head of a table; the columns from a number on hold numbers, or those whose places are given.
 * @param {Child[]} heads
 * @param {number | number[]} numeric
 */
export function headLine(heads, numeric) {
  const isNumeric = (/** @type {number} */ place) => Array.isArray(numeric) ? numeric.includes(place) : place >= numeric;
  return el("thead", {}, el("tr", {}, heads.map((head, place) =>
    el("th", { scope: "col", class: isNumeric(place) ? "number" : null }, head))));
}

/** Facts by name; those that are null or empty are left out. @param {Record<string, Child>} facts */
export function definitions(facts) {
  return el("dl", {}, Object.entries(facts).filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}
