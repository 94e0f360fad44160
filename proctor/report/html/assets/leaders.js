/* What stands first: what could not be measured, and which model is best on which task. */

import { listHash, taskLink } from "./addresses.js";
import { el } from "./elements.js";
import { modelName } from "./models.js";
import { count, dollarsThen, interval, isNumber, NONE, probability, scaleInWords, score } from "./numbers.js";
import { run } from "./run.js";
import { headline, lessIsBetter, scaleOf } from "./sets.js";
import { headLine } from "./tables.js";
import { plain, words } from "./text.js";
import { view } from "./view.js";

const MOST_UNMEASURED = 6;

/** The cases that could not be measured, and why: before any score. */
export function unmeasuredSection() {
  const lines = run.sets.filter((set) => set.report.not_measured.cases).map((set) => {
    const { cases, because } = set.report.not_measured;
    const reasons = because.slice(0, 3).map(({ cases: size, told }) => (because.length > 1 ? `${count(size)} × ` : "") + plain(told));
    const more = because.length > 3 ? "; and others" : "";
    return el("li", {}, modelName(set.model), " on ", taskLink(set.task), ": ",
      el("a", { href: listHash({ task: set.task, model: set.model, verdict: "not measured" }) },
        `${count(cases)} of ${count(set.report.expected)} not measured`), `, because ${reasons.join("; ")}${more}`);
  });
  if (!lines.length) return null;
  return el("section", { "aria-labelledby": "unmeasured", class: "unmeasured" }, el("h2", { id: "unmeasured" }, "Not measured"),
    el("ul", {}, lines.slice(0, MOST_UNMEASURED)),
    lines.length > MOST_UNMEASURED ? el("details", {}, el("summary", {}, `${count(lines.length - MOST_UNMEASURED)} more tasks and models`),
      el("ul", {}, lines.slice(MOST_UNMEASURED))) : null,
    el("p", { class: "quiet" }, "The strict scores below give each of these the worst value; where nothing was measured there is no score."));
}

/** The tasks that were selected and left out, and why. */
export function leftOutSection() {
  const found = run.report.run.left_out || [];
  if (!found.length) return null;
  return el("section", { "aria-labelledby": "left-out", class: "unmeasured" }, el("h2", { id: "left-out" }, "Left out"),
    el("ul", {}, found.map(({ task, model, why }) => el("li", {}, plain([task, model].filter(Boolean).join(" ")), `: ${plain(why)}`))),
    el("p", { class: "quiet" }, "These tasks were selected, and are in no score."));
}

/** Sets of a task, the best first; those without a score last. @param {string} task */
function ranked(task) {
  const worth = (/** @type {CaseSet} */ set) => {
    const { value } = headline(set);
    return isNumber(value) ? value * (lessIsBetter(set) ? -1 : 1) : -Infinity;
  };
  return run.setsOf(task).toSorted((a, b) => worth(b) - worth(a));
}

function areCompared() { return (run.report.comparisons || []).length > 0; }

/** The sets of a task that may be the best: one if it is shown to be better than the others, none if nothing was measured. @param {string} task */
function candidates(task) {
  const [first, ...others] = ranked(task).filter((set) => isNumber(headline(set).value));
  if (!first) return [];
  const places = (run.report.ranks || []).find((entry) => `${entry.benchmark}/${entry.task}` === task);
  const isEqual = (/** @type {CaseSet} */ set) => {
    if (!areCompared()) return headline(set).value === headline(first).value;
    if (places && view.family === "strict") return places.best.includes(set.model);
    return run.comparison(task, first.model, set.model, view.family)?.shows !== "better";
  };
  return [first, ...others.filter(isEqual)];
}

/** The tasks whose headline metrics are on one scale, by what is said of it: numbers on different scales share no column. */
export function tasksByScale() { return Map.groupBy(run.tasks, (task) => scaleInWords(scaleOf(run.setsOf(task)[0]))); }

export function leaderTables() {
  const several = run.models.length > 1;
  const heads = ["Task", "Metric", several ? "Best model" : "Model", "Score", "95 % interval",
    ...(several ? ["Ahead of", "By", ...(areCompared() ? ["How sure"] : [])] : []), "Cost"];
  return [...tasksByScale()].map(([scale, tasks]) => el("div", { class: "scroll" }, el("table", { class: "leaders" },
    el("caption", {}, scale), headLine(heads, ["Score", "By", "Cost"].map((head) => heads.indexOf(head))),
    el("tbody", {}, tasks.map((task) => leaderLine(task, several))))));
}

/** @param {string} task @param {boolean} several */
function leaderLine(task, several) {
  const all = ranked(task);
  const best = candidates(task);
  const scale = scaleOf(all[0]);
  const note = !several ? null : !best.length ? "none: nothing was measured" : best.length > 1 ? "no best is shown among" : null;
  const shown = best.length || several ? best : all; // one line of the cells a model, and one for the note
  /** @param {string | null} kind @param {(set: CaseSet) => Child} of @param {string | null} [first] */
  const cell = (kind, of, first = "\u00a0") => el("td", { class: kind }, note ? el("div", { class: "quiet" }, first) : null,
    shown.map((set) => el("div", {}, of(set))));
  return el("tr", { "data-task": task }, el("th", { scope: "row" }, taskLink(task)), el("td", {}, words(all[0].metrics[0])),
    cell(null, (set) => modelName(set.model), note),
    cell("number strong", (set) => score(headline(set).value, { scale }), best.length ? undefined : NONE),
    cell("interval", (set) => interval(headline(set).ci95, { scale })),
    several ? leadCells(task, best, all, scale) : null,
    cell("number", (set) => dollarsThen(set.report)));
}

/** By how much the best model is ahead of the next, and how sure that is; nothing where there is no best.
 * @param {string} task
 * @param {CaseSet[]} best
 * @param {CaseSet[]} all
 * @param {Scale} scale
 */
function leadCells(task, best, all, scale) {
  const columns = areCompared() ? 3 : 2;
  const [first, next] = all.filter((set) => isNumber(headline(set).value));
  const wide = (/** @type {Child} */ text) => el("td", { colspan: columns, class: "quiet sure" }, text);
  if (!first) return wide("");
  if (!next) return wide(all.length > 1 ? "no other model was measured" : "no other model");
  const found = areCompared() ? run.comparison(task, first.model, next.model, view.family) : null;
  if (best.length > 1) return wide(found ? ["first and second: ", verdictText(found, scale)] : "the same score");
  const lead = found ? found.lead : Number(headline(first).value) - Number(headline(next).value);
  return [el("td", {}, modelName(next.model)), el("td", { class: "number" }, score(lead, { signed: true, scale }),
    found?.ci95 ? el("div", { class: "interval" }, interval(found.ci95, { signed: true, scale })) : null),
  columns > 2 ? el("td", { class: "sure" }, verdictText(found, scale)) : null];
}

export const OUTCOMES = {
  better: { mark: "▲", text: "better" }, worse: { mark: "▼", text: "worse" }, none: { mark: "=", text: "no difference shown" },
};

/** @param {Lead | null} found @param {Scale} scale */
function verdictText(found, scale) {
  if (!found || found.lead === null) return el("span", { class: "quiet" }, "not compared: no case that both models were measured on");
  const { mark, text } = OUTCOMES[found.shows];
  const detectable = found.shows === "none" && isNumber(found.detectable) ? `${score(found.detectable, { scale })} could have shown` : "";
  const notes = [probability(found.p), detectable].filter(Boolean).join("; ");
  return [el("span", { class: `outcome ${found.shows}` }, `${mark} ${text}`), notes ? el("span", { class: "quiet" }, ` (${notes})`) : null];
}
