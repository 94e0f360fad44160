/* The first page: which model is best on which task, by how much, how sure, and at what cost. */

import { listHash, taskLink } from "./addresses.js";
import { intervalChart, scatterChart } from "./charts.js";
import { el } from "./elements.js";
import { cutNote } from "./find.js";
import { gateSection } from "./gate.js";
import { OUTCOMES, leaderTables, leftOutSection, tasksByScale, unmeasuredSection } from "./leaders.js";
import { legend, modelMarker, modelName } from "./models.js";
import { count, dollars, dollarsThen, interval, isNumber, moment, NONE, probability, score, scoreWithSpread, seconds } from "./numbers.js";
import { FAMILIES, FAMILY_NAMES } from "./page.js";
import { run } from "./run.js";
import { axisName, headline, scaleOf } from "./sets.js";
import { definitions, headLine } from "./tables.js";
import { plain, shown, words } from "./text.js";
import { view } from "./view.js";

/** @param {number | null} total @param {PageTask} report */
function perCase(total, { expected }) { return isNumber(total) && expected ? total / expected : null; }

/** @type {Record<string, {label: string, of: (report: PageTask) => number | null, told: (value: number | null) => string}>} */
const SPENDINGS = {
  dollars: { label: "dollars per 1,000 cases", of: (report) => perCase(1000 * (report.cost_usd ?? NaN), report), told: dollars },
  tokens: { label: "output tokens per case", of: (report) => perCase(report.usage.output_tokens, report), told: count },
  seconds: { label: "median seconds per case", of: (report) => report.latency_s.p50, told: seconds },
};

export function overviewPage() {
  return [
    gateSection(run.report.gate),
    unmeasuredSection(),
    leftOutSection(),
    el("section", { "aria-labelledby": "best" }, el("h2", { id: "best" }, run.models.length > 1 ? "Which model is best" : "Scores"),
      el("p", { class: "quiet" }, FAMILIES[view.family]), leaderTables()),
    compositeSection(run.report.composites || []),
    el("section", { "aria-labelledby": "plot" }, el("h2", { id: "plot" }, "95 % intervals"), legend(),
      el("div", { class: "charts" }, run.tasks.map((task) => intervalChart(
        taskLink(task), run.setsOf(task).map((set) => ({ model: set.model, estimate: headline(set) })),
        axisName(run.setsOf(task)[0]))))),
    el("section", { "aria-labelledby": "all" }, el("h2", { id: "all" }, "Everything measured"), spreadNote(), scoreTables()),
    el("section", { "aria-labelledby": "pairs" }, el("h2", { id: "pairs" }, "Model against model"), pairwise()),
    publishedSection(run.report.published || []),
    el("section", { "aria-labelledby": "cost" }, el("h2", { id: "cost" }, "Score against cost"), spendingCharts()),
    el("section", { "aria-labelledby": "run" }, el("h2", { id: "run" }, "The run"), runFacts()),
  ];
}

/** Scores that are the mean of several tasks' headline metrics, in percent. @param {CompositeFields[]} composites */
function compositeSection(composites) {
  if (!composites.length) return null;
  const heads = ["Score", "Model", "Percent", "95 % interval", "Mean of"];
  const percent = (/** @type {number} */ number) => number.toFixed(1);
  const without = composites.filter(({ missing }) => (missing || []).length)
    .map(({ name, missing }) => `${plain(name)} is without ${(missing || []).map((task) => plain(task)).join(", ")}.`);
  return el("section", { "aria-labelledby": "composites" }, el("h2", { id: "composites" }, "Over several tasks"),
    el("div", { class: "scroll" }, el("table", { class: "composites" }, headLine(heads, [2]),
      el("tbody", {}, composites.map((found) => {
        const { value, ci95 } = found[view.family];
        return el("tr", {}, el("th", { scope: "row" }, plain(found.name)), el("td", {}, modelName(found.model)),
          el("td", { class: "number strong" }, isNumber(value) ? percent(value) : "–"),
          el("td", { class: "interval" }, ci95 ? `[${ci95.map(percent).join(", ")}]` : ""),
          el("td", { class: "quiet" }, plain(found.tasks.join(", "))));
      })))),
    [...new Set(without)].map((line) => el("p", { class: "quiet" }, line)));
}

/** Published figures beside the run's own, and whether they compare. @param {PublishedFields[]} benchmarks */
function publishedSection(benchmarks) {
  if (!benchmarks.length) return null;
  const cells = (/** @type {unknown[]} */ values) => values.map((value) => el("td", { class: "number" }, isNumber(value) ? value.toFixed(2) : "–"));
  return el("section", { "aria-labelledby": "published" }, el("h2", { id: "published" }, "Published results"),
    benchmarks.map(({ benchmark, source, columns, published, own }) => [
      el("p", { class: "quiet" }, `${plain(benchmark)}: `, shown(source)),
      own.map(({ model, differs }) => el("p", {}, modelName(model), differs.length
        ? ` does not compare with the published figures: ${differs.map((one) => plain(one)).join("; ")}.`
        : " compares: official data and prompts, prescribed judges, all samples.")),
      el("div", { class: "scroll" }, el("table", { class: "published" },
        headLine(["Model", ...columns], columns.map((_, place) => place + 1)),
        el("tbody", {},
          own.map(({ model, values }) => el("tr", {}, el("th", { scope: "row" }, "this run, official: ", modelName(model)),
            cells(values))),
          published.map(([model, ...values]) => el("tr", {}, el("th", { scope: "row" }, shown(model)), cells(values)))))),
    ]));
}

function spreadNote() {
  return run.sets.some((set) => set.epochs) ? el("p", { class: "quiet" }, "± is the standard deviation over epochs.") : null;
}

/** A table for each scale: numbers on different scales share no column. */
function scoreTables() {
  const heads = ["Task and model", "n", "Strict", "95 % interval", "Official", "95 % interval", "Cases by status",
    "Tokens in", "Tokens out", "Cost", "Latency p50", "p95"];
  return [...tasksByScale()].map(([scale, tasks]) => el("div", { class: "scroll" }, el("table", { class: "scores" },
    el("caption", {}, scale),
    headLine(heads, [1, 2, 4, 7, 8, 9, 10, 11]),
    tasks.map((task) => el("tbody", {},
      el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: heads.length }, taskLink(task),
        el("span", { class: "quiet" }, " " + words(run.setsOf(task)[0].metrics[0])))),
      run.setsOf(task).map((set) => scoreLine(set)))))));
}

/** @param {CaseSet} set */
function scoreLine(set) {
  const families = set.report.metrics[set.metrics[0]];
  const scale = scaleOf(set);
  const { usage, latency_s: latency } = set.report;
  return el("tr", { "data-task": set.task, "data-model": set.model },
    el("th", { scope: "row" }, modelName(set.model)), el("td", { class: "number" }, count(set.report.expected)),
    FAMILY_NAMES.map((family) => [
      el("td", { class: `number ${family}` }, scoreWithSpread(families[family], scale)),
      el("td", { class: "interval" }, interval(families[family].ci95, { scale }))]),
    el("td", {}, statusCounts(set)),
    [count(usage.input_tokens), count(usage.output_tokens), dollarsThen(set.report), seconds(latency.p50), seconds(latency.p95)]
      .map((text) => el("td", { class: "number" }, text)));
}

/** @param {CaseSet} set */
function statusCounts(set) {
  const found = Object.entries(set.report.status).filter(([, size]) => size);
  const bar = el("span", { class: "bar", "aria-hidden": "true" }, found.map(([status, size]) => {
    const part = el("span", { class: `part status-${status}` });
    part.style.flexGrow = String(size);
    return part;
  }));
  return el("span", { class: "statuses" }, bar, found.map(([status, size], number) => [number ? ", " : null,
    el("a", { href: listHash({ task: set.task, model: set.model, status }) }, `${count(size)} ${words(status)}`)]));
}

function pairwise() {
  if (run.models.length < 2) return el("p", { class: "quiet" }, "One model was asked: there is nothing to compare.");
  if (!(run.report.comparisons || []).length) return el("p", { class: "quiet" }, "This report has no paired comparisons.");
  return [el("p", { class: "quiet" }, "Row minus column, on the cases that both models have. ▲ better, ▼ worse, = no difference "
    + "shown: p is 0.05 or more after Holm’s correction over all pairs."),
  el("div", { class: "matrices" }, run.tasks.map((task) => {
    const models = run.setsOf(task).map((set) => set.model);
    return el("div", { class: "scroll" }, el("table", { class: "pairs" }, el("caption", {}, taskLink(task)),
      el("thead", {}, el("tr", {}, el("td", {}), models.map((model) => el("th", { scope: "col" }, modelMarker(model))))),
      el("tbody", {}, models.map((row) => el("tr", {}, el("th", { scope: "row" }, modelName(row)),
        models.map((column) => pairCell(task, row, column)))))));
  }))];
}

/** @param {string} task @param {string} row @param {string} column */
function pairCell(task, row, column) {
  if (row === column) return el("td", { class: "same", "aria-label": "the same model" });
  const found = run.comparison(task, row, column, view.family);
  if (!found || found.lead === null) return el("td", { class: "quiet" }, "not compared");
  const { mark, text } = OUTCOMES[found.shows];
  const signed = { signed: true, scale: scaleOf(run.setsOf(task)[0]) };
  const told = `${score(found.lead, signed)} ${interval(found.ci95, signed)}, ${text}, ${probability(found.p)}`;
  return el("td", { class: `outcome ${found.shows}`, title: told }, `${mark} ${score(found.lead, signed)}`,
    el("span", { class: "unseen" }, ` ${text}`));
}

function spendingCharts() {
  const varies = (/** @type {string} */ name) => run.sets.some((set) => Number(SPENDINGS[name].of(set.report)) > 0);
  const charts = el("div", { class: "charts" });
  const draw = (/** @type {string} */ name) => charts.replaceChildren(...run.tasks.map((task) => scatterChart(taskLink(task),
    run.setsOf(task).flatMap((set) => {
      const x = SPENDINGS[name].of(set.report);
      const { value, ci95 } = headline(set);
      const told = `${score(value, { scale: scaleOf(set) })} for ${SPENDINGS[name].told(x)}`;
      return isNumber(value) && isNumber(x) ? [{ model: set.model, x, y: value, ci95, told }] : [];
    }), SPENDINGS[name].label, axisName(run.setsOf(task)[0]))));
  const chosen = Object.keys(SPENDINGS).find(varies) || "dollars";
  /** @type {HTMLSelectElement} */
  const select = el("select", { id: "spending", onchange: () => draw(select.value) },
    Object.entries(SPENDINGS).map(([name, { label }]) => el("option", { value: name, selected: name === chosen }, label)));
  draw(chosen);
  const free = chosen !== "dollars" ? el("span", { class: "quiet" }, " These models cost nothing, or what they cost is not known.") : null;
  return [el("p", {}, el("label", { for: "spending" }, "Against "), select, free), legend(), charts];
}

function runFacts() {
  const { run: facts } = run.report;
  return definitions({
    Run: plain(facts.id), Started: moment(facts.started), Duration: seconds(facts.duration_s),
    Command: el("code", {}, shown(facts.command || NONE)), "Git commit": plain(facts.git_commit || "none"),
    Versions: Object.entries(facts.versions || {}).map((pair) => plain(pair.join(" "))).join(", "),
    Machine: Object.values(facts.machine || {}).map((value) => plain(value)).join(", "),
    Notes: [...(run.report.notes || []).map((note) => plain(note)), mediaNote(), cutNote()].filter(Boolean).join(" "),
  });
}

/** What did not fit into the page, in words. */
function mediaNote() {
  return run.mediaLeftOut ? `No room in this page for ${count(run.mediaLeftOut)} of the pictures, clips and sounds.` : null;
}
