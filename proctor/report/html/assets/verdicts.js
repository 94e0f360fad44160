/* What a case came to, in a word. */

import { el } from "./elements.js";
import { isNumber } from "./numbers.js";

/** Each with the mark that stands for it. @type {Record<Verdict, string>} */
const MARKS = { correct: "✓", partial: "◐", incorrect: "✕", "not measured": "?" };
export const VERDICTS = /** @type {Verdict[]} */ (Object.keys(MARKS));
const UNMEASURED = new Set(["error", "judge_failed", "missing", "not_needed"]);

/** As the terminal says it, but that a case without a measurement is not called wrong.
 * @param {string} status
 * @param {number | null} score Of the strict family.
 * @param {Scale} scale
 * @returns {Verdict}
 */
export function verdictOf(status, score, [worst, best]) {
  if (UNMEASURED.has(status) || !isNumber(score)) return "not measured";
  const sign = worst > best ? -1 : 1; // less is better where the worst value is the larger one
  if (sign * score >= sign * best) return "correct";
  return status === "scored" && sign * score > sign * worst ? "partial" : "incorrect";
}

/** The class by which a verdict has its colour. @param {Verdict} verdict */
export function verdictClass(verdict) { return `verdict ${verdict.replace(" ", "-")}`; }

/** @param {Verdict} verdict */
export function verdictMark(verdict) { return MARKS[verdict]; }

/** @param {Verdict} verdict */
export function verdictBadge(verdict) {
  return el("span", { class: verdictClass(verdict) }, `${MARKS[verdict]} ${verdict}`);
}
