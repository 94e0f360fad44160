/* Values of any shape, such as targets and what was read of an answer: as a block, and in a few words. */

import { el } from "./elements.js";
import { NONE } from "./numbers.js";
import { cut, shown } from "./text.js";
import { textBlock, tree } from "./text_blocks.js";
import { isGraphs } from "./triplets.js";

/** A value in a few words. @param {unknown} value */
export function excerpt(value) {
  if (value === null || value === undefined) return NONE;
  if (isGraphs(value)) return `${value.length} ${value.length === 1 ? "graph" : "graphs"}, ${value.flat().length} triplets`;
  return cut(typeof value === "string" ? value : JSON.stringify(value), 60);
}

/** @param {unknown} text */
export function quoted(text) { return ["“", el("bdi", {}, shown(excerpt(text))), "”"]; }

/** @param {unknown} value */
export function valueBlock(value) {
  if (value === null || value === undefined) return el("p", { class: "quiet" }, "none");
  if (isGraphs(value)) return textBlock(value.map((graph) => graph.map((triplet) => triplet.join(" -> ")).join("\n")).join("\n\n"));
  return typeof value === "string" ? textBlock(value) : tree(value);
}

/** Whether a value is a record without anything inside. @param {unknown} value @returns {value is Record<string, unknown>} */
export function isFlat(value) { return isRecord(value) && Object.values(value).every((part) => part === null || typeof part !== "object"); }

/** Whether a value is a record. @param {unknown} value @returns {value is Record<string, unknown>} */
export function isRecord(value) { return value !== null && typeof value === "object" && !Array.isArray(value); }
