/* The gate: what the run had to reach, and whether it did. */

import { caseAddress, taskLink } from "./addresses.js";
import { el } from "./elements.js";
import { flipSections } from "./flips.js";
import { modelName } from "./models.js";
import { count, interval, isNumber, score } from "./numbers.js";
import { headLine } from "./tables.js";
import { plain, words } from "./text.js";

/** @param {GateFields | undefined} gate */
export function gateSection(gate) {
  if (!gate) return null;
  const [mark, told] = gate.holds === true ? ["✓", "The gate holds."] : gate.holds === false ? ["✕", "The gate does not hold."]
    : ["?", gate.unmeasured ? `The gate is not decided: ${count(gate.unmeasured)} cases were not measured.`
      : "The gate is undecided: nothing is shown either way."];
  const [shows] = heldInWords(gate.holds);
  const lines = [...gate.floors.map(floorLine), ...gate.against_baseline.map((entry) => baselineLine(entry, gate.baseline))];
  return el("section", { "aria-labelledby": "gate" }, el("h2", { id: "gate" }, "Gate"),
    el("p", { class: `outcome ${shows}` }, `${mark} ${told}`), suiteLine(gate.suite), decisionLine(gate.decision),
    el("div", { class: "scroll" }, el("table", { class: "gate" },
      headLine(["Task", "Model", "Metric", "Is", "95 % interval", "Must be", "Outcome", "Cases that flipped"], [3]),
      el("tbody", {}, lines))), flipSections(gate));
}

/** What a run has decided that stops when it is decided. @param {GateFields['decision']} found */
function decisionLine(found) {
  if (!found) return null;
  const mean = isNumber(found.difference) ? `, mean ${score(found.difference, { signed: true })} ${interval(found.interval, { signed: true })}` : "";
  return el("p", { class: "quiet" }, `With a margin of ${score(found.margin)}: ${found.verdict}, by the first ${count(found.counted)} of `
    + `${count(found.cases)} cases${mean}; ${count(found.not_needed)} were not needed; none was asked but those in flight by then.`);
}

/** What the tasks say together. @param {GateFields['suite']} suite */
function suiteLine(suite) {
  if (!suite || !isNumber(suite.difference)) return null;
  const could = suite.verdict === "undecided" && suite.detectable ? `; a difference of ${score(suite.detectable)} could have been shown` : "";
  return el("p", { class: "quiet" }, `Mean of ${count(suite.tasks)} tasks, each from 0 (worst) to 1 (best): `
    + `${score(suite.difference, { signed: true })} ${interval(suite.ci95, { signed: true })}, ${suite.verdict}${could}.`);
}

/** Whether something holds: its class, and in words. @param {boolean | null | undefined} holds */
function heldInWords(holds) {
  return holds === true ? ["better", "✓ holds"] : holds === false ? ["worse", "✕ does not hold"] : ["none", "? undecided"];
}

/**
 * @param {string} task
 * @param {string} model
 * @param {string} metric
 * @param {Child} value
 * @param {string} must
 * @param {boolean | null} holds
 * @param {Child} flipped
 */
function gateLine(task, model, metric, value, must, holds, flipped) {
  const [shows, told] = heldInWords(holds);
  return el("tr", {}, el("th", { scope: "row" }, taskLink(task)), el("td", {}, modelName(model)), el("td", {}, plain(metric)),
    value, el("td", {}, must), el("td", { class: `outcome ${shows}` }, told),
    el("td", {}, flipped));
}

/** @param {FloorFields} entry */
function floorLine(entry) {
  const value = [el("td", { class: "number" }, score(entry.value)), el("td", { class: "interval" }, interval(entry.ci95))];
  const metric = `${words(entry.metric)}, ${words(entry.family)}`;
  const bound = /** @type {Bound} */ (entry.bound || "at_least");
  const must = `${bound === "shown_below" || bound === "shown_above" ? "not " : ""}${words(bound)} ${score(entry[bound])}`;
  return gateLine(entry.task, entry.model, metric, value, must, entry.holds, "");
}

/** A task of a model against the former run; all cases that flipped are listed, for better and for worse.
 * @param {AgainstFields} entry
 * @param {string | null} baseline
 */
function baselineLine(entry, baseline) {
  const value = [el("td", { class: "number" }, score(entry.difference, { signed: true })),
    el("td", { class: "interval" }, interval(entry.ci95, { signed: true }))];
  const must = `not worse than ${plain(baseline, 40)}${entry.margin ? ` by more than ${score(entry.margin)}` : ""}`;
  const task = `${entry.benchmark}/${entry.task}`;
  const link = (/** @type {string} */ id) => el("li", {}, el("a", { href: caseAddress(task, id, entry.b.model) }, plain(id, 60)));
  const flipped = el("details", {}, el("summary", {}, `${count(entry.lost.length)} worse, ${count(entry.won.length)} better`),
    [{ word: "Worse", ids: entry.lost }, { word: "Better", ids: entry.won }].map(({ word, ids }) => (ids.length
      ? [el("p", {}, word), el("ul", {}, ids.map(link))] : null)));
  return gateLine(task, entry.b.model, `${words(entry.metric)}, ${words(entry.family)}`, value, must, entry.holds, flipped);
}
