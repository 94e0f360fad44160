/* Samples by models: who is right about what, and where they disagree. */

import { caseHash, matrixHash } from "./addresses.js";
import { extent } from "./axes.js";
import { el } from "./elements.js";
import { order } from "./find.js";
import { modelName } from "./models.js";
import { count, isNumber, NONE, scaleInWords, score } from "./numbers.js";
import { run } from "./run.js";
import { scaleOf } from "./sets.js";
import { plain, words } from "./text.js";
import { verdictClass, verdictMark } from "./verdicts.js";

const SAMPLES_SHOWN = 100;

/** A strict score as a share of what can be had, from 0 to 1; null where nothing was measured. @param {Case} one */
function shareOf(one) {
  const value = run.score(one, "strict");
  const [worst, best] = one.set.scale;
  return isNumber(value) ? Math.min(1, Math.max(0, (value - worst) / (best - worst))) : null;
}

/** The cases of a task by sample: for each sample a list of each model's cases. @param {string} task */
export function casesBySample(task) {
  const sets = run.setsOf(task);
  const rows = run.samplesOf(task).ids.map(() => sets.map(() => /** @type {Case[]} */ ([])));
  sets.forEach((set, column) => set.samples.forEach((sample, place) => rows[sample][column].push({ set, place })));
  return rows;
}

/** How far the models are apart about a sample: the highest mean share less the lowest; null of fewer than two. @param {Case[][]} columns */
export function disagreement(columns) {
  const means = columns.map((cases) => cases.map(shareOf).filter(isNumber)).filter((shares) => shares.length)
    .map((shares) => shares.reduce((sum, share) => sum + share, 0) / shares.length);
  if (means.length < 2) return null;
  const [low, high] = extent(means);
  return high - low;
}

/** @param {string} task @param {string} query */
export function matrixPage(task, query) {
  const given = new URLSearchParams(query);
  const sort = given.get("sort") || "";
  const rows = sortedRows(casesBySample(task).map((columns, sample) => ({ sample, columns, apart: disagreement(columns) })), sort);
  const pages = Math.max(1, Math.ceil(rows.length / SAMPLES_SHOWN));
  const page = Math.min(pages, Math.max(1, Number(given.get("page")) || 1));
  const shown = rows.slice((page - 1) * SAMPLES_SHOWN, page * SAMPLES_SHOWN);
  /** @param {number} to @param {string} text */
  const turn = (to, text) => (to < 1 || to > pages ? el("span", { class: "quiet" }, text) : el("a", { href: matrixHash(task, sort, to) }, text));
  return [
    el("h2", {}, `Samples and models: ${plain(task)}`),
    run.tasks.length > 1 ? el("p", {}, "Task: ", run.tasks.map((other, place) => [place ? ", " : null,
      other === task ? plain(other) : el("a", { href: matrixHash(other) }, plain(other))])) : null,
    el("p", { class: "quiet" }, "Strict scores. Models disagree by the highest less the lowest share of full marks."),
    pages > 1 ? el("p", { class: "pager" }, turn(page - 1, "Previous"), ` page ${count(page)} of ${count(pages)} `, turn(page + 1, "Next")) : null,
    matrixTable(task, shown, sort),
  ];
}

/** Rows by a column, upwards or downwards; those without a value last. @param {MatrixRow[]} rows @param {string} sort */
function sortedRows(rows, sort) {
  const [down, name] = sort.startsWith("-") ? [true, sort.slice(1)] : [false, sort];
  const models = rows.length ? rows[0].columns.map((cases) => cases[0]?.set.model) : [];
  const place = name === "disagreement" ? -1 : run.models.includes(name) ? models.indexOf(name) : null;
  if (place === null) return down ? rows.toReversed() : rows;
  const key = (/** @type {MatrixRow} */ row) => (place < 0 ? row.apart : row.columns[place]?.length ? shareOf(row.columns[place][0]) : null);
  return rows.map((row) => ({ key: key(row), row })).sort((a, b) => order(a.key, b.key, down)).map(({ row }) => row);
}

/** @param {string} task @param {MatrixRow[]} rows @param {string} sort */
function matrixTable(task, rows, sort) {
  const { ids } = run.samplesOf(task);
  const sets = run.setsOf(task);
  /** @param {string} name @param {Child} content @param {string | null} kind */
  const head = (name, content, kind) => {
    const sorted = sort === name ? "ascending" : sort === `-${name}` ? "descending" : null;
    const other = sorted === "descending" ? name : `-${name}`;
    return el("th", { scope: "col", class: kind, "aria-sort": sorted }, el("a", { href: matrixHash(task, other) }, content),
      sorted ? (sorted === "descending" ? " \u2193" : " \u2191") : null);
  };
  const cell = (/** @type {Case[]} */ cases) => el("td", { class: "matrix-cell" }, cases.length ? cases.map((one) => el("a",
    { href: caseHash(one), class: verdictClass(run.verdict(one)), title: run.verdict(one) },
    verdictMark(run.verdict(one)), " ", score(run.score(one, "strict"), { scale: scaleOf(one.set) }),
    el("span", { class: "unseen" }, ` ${run.verdict(one)}`))) : NONE);
  return el("div", { class: "scroll" }, el("table", { class: "matrix" },
    el("caption", {}, `${words(sets[0].metrics[0])}, ${scaleInWords(scaleOf(sets[0]))}`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Sample"), head("disagreement", "Disagreement", "number"),
      sets.map((set) => head(set.model, modelName(set.model), null)))),
    el("tbody", {}, rows.map(({ sample, columns, apart }) => el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, plain(ids[sample], 60))),
      el("td", { class: "number" }, isNumber(apart) ? apart.toFixed(2) : NONE), columns.map(cell))))));
}
