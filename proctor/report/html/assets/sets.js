/* What the page asks of a task and model: its headline scores, and their scale. */

import { words } from "./text.js";
import { view } from "./view.js";

/** A metric's scale. @param {CaseSet} set @returns {Scale} */
export function scaleOf(set, name = set.metrics[0]) { return asScale(set.report.scales[name]); }

/** A scale as JSON has it: the worst value and the best. @param {number[]} pair @returns {Scale} */
export function asScale([worst, best]) { return [worst, best]; }

/** The headline scores of the family that is shown. @param {CaseSet} set @returns {Estimate} */
export function headline(set) { return set.report.metrics[set.metrics[0]][view.family]; }

/** @param {CaseSet} set */
export function lessIsBetter(set) { return set.scale[0] > set.scale[1]; }

/** What a chart says of a task's headline scores. @param {CaseSet} set */
export function axisName(set) { return `${words(set.metrics[0])}, ${view.family}${lessIsBetter(set) ? ", lower is better" : ""}`; }
