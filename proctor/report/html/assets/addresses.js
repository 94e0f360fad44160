/* Addresses within the page, and links to them. */

import { el } from "./elements.js";
import { run } from "./run.js";
import { plain } from "./text.js";
import { FILTER_NAMES, view } from "./view.js";

/** The address of the list of cases with these filters. @param {Partial<Filters>} filters */
export function listHash(filters) {
  const query = new URLSearchParams(FILTER_NAMES.map((name) => [name, filters[name] || ""]).filter(([, value]) => value));
  return "#/cases" + (query.size ? "?" + query : "");
}

/** The address of a case.
 * @param {string} task
 * @param {string} sample
 * @param {string} model
 */
export function caseAddress(task, sample, model, epoch = 1) {
  return "#/case/" + [task, sample, model, ...(epoch > 1 ? [epoch] : [])].map(encodeURIComponent).join("/");
}

/** @param {Case} one */
export function caseHash(one) { return caseAddress(one.set.task, run.sampleId(one), one.set.model, run.epoch(one)); }

/** The address of a task's matrix. @param {string} task */
export function matrixHash(task, sort = "", page = 1) {
  const query = new URLSearchParams([["sort", sort], ["page", page > 1 ? String(page) : ""]].filter(([, value]) => value));
  return `#/matrix/${encodeURIComponent(task)}${query.size ? `?${query}` : ""}`;
}

/** A link to a task, whose name may be broken where its parts end. @param {string} task */
export function taskLink(task) {
  const parts = plain(task).split(/(?<=[/_])/).map((part, place) => [place ? el("wbr") : null, part]);
  return el("a", { href: `#/task/${encodeURIComponent(task)}` }, parts);
}

/** An address in this page that says which family of scores is shown, if it is not the usual one. @param {string} hash */
export function withFamily(hash) {
  const [path, query = ""] = hash.split("?");
  const found = new URLSearchParams(query);
  found.delete("scores");
  if (view.family !== "strict") found.set("scores", view.family);
  return path + (found.size ? `?${found}` : "");
}

/** A part of an address. @param {string} text */
export function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; } // an address that somebody typed
}
