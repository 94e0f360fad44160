/* One task: its metrics, and what they depend on. */

import { caseAddress, listHash, matrixHash } from "./addresses.js";
import { binsOf, extent } from "./axes.js";
import { confusionTable, estimateTable, histogram, scatterChart } from "./charts.js";
import { el, nodes } from "./elements.js";
import { modelName } from "./models.js";
import { count, dollarsThen, isNumber, moment, NONE, scaleInWords, score } from "./numbers.js";
import { FAMILIES, FAMILY_NAMES } from "./page.js";
import { run } from "./run.js";
import { scaleOf } from "./sets.js";
import { definitions, headLine } from "./tables.js";
import { plain, shown, words } from "./text.js";
import { excerpt } from "./values.js";
import { view } from "./view.js";

const MOST_TAG_VALUES = 12;

/** @param {string} task */
export function taskPage(task) {
  const sets = run.setsOf(task);
  return [
    el("h2", {}, plain(task)),
    el("p", { class: "quiet" }, FAMILIES[view.family], " ", el("a", { href: listHash({ task }) }, "All cases of this task"),
      run.models.length > 1 ? [" \u00b7 ", el("a", { href: matrixHash(task) }, "Samples by models")] : null),
    section("Metrics", metricTables(sets)),
    section("Scores by tag", tagTables(sets)),
    section("Answers by target", confusions(sets)),
    section("How scores are spread", spread(sets)),
    section("Details", ownTables(task)),
    section("Diagnostics", diagnosticTables(sets)),
    section("What failures change", sensitivity(sets)),
    section("Gold answers to check", suspects(task)),
    section("Judging", judging(sets)),
    section("Rows not as they should be", oddRows(sets[0].report)),
    section("Made from", provenance(sets)),
  ];
}

/** A titled section; none without content. @param {string} title @param {Child} content */
function section(title, content) {
  const parts = nodes(content);
  return parts.length ? el("section", { "aria-label": title }, el("h3", {}, title), parts) : null;
}

/** Estimates by model, found in each set's report. @param {CaseSet[]} sets @param {(report: PageTask) => Estimate | null | undefined} find */
function byModel(sets, find) {
  /** @type {Map<string, Estimate>} */
  const found = new Map();
  for (const set of sets) {
    const estimate = find(set.report);
    if (estimate) found.set(set.model, estimate);
  }
  return found;
}

/** @param {CaseSet[]} sets */
function metricTables(sets) {
  const models = sets.map((set) => set.model);
  const scales = Map.groupBy(sets[0].metrics, (name) => scaleInWords(scaleOf(sets[0], name)));
  return FAMILY_NAMES.flatMap((family) => [...scales].map(([told, names]) => estimateTable(`${family}, ${told}`, "metric",
    names.map((name) => {
      const of = byModel(sets, (report) => report.metrics[name]?.[family]);
      return { label: words(name), n: sizes([...of.values()].map((estimate) => estimate.n)), of, scale: scaleOf(sets[0], name) };
    }), models, false)));
}

/** One number if all are the same, else the lowest and the highest. @param {(number | null | undefined)[]} numbers */
function sizes(numbers) {
  const known = numbers.filter(isNumber);
  const [low, high] = extent(known);
  return known.length === 0 ? NONE : low === high ? low : `${count(low)}–${count(high)}`;
}

/** @param {CaseSet[]} sets */
function tagTables(sets) {
  const names = [...new Set(sets.flatMap((set) => Object.keys(set.report.by_tag)))];
  const metric = sets[0].metrics[0];
  const valuesOf = (/** @type {string} */ name) => [...new Set(sets.flatMap((set) => Object.keys(set.report.by_tag[name] || {})))];
  const tags = names.map((name) => ({ name, values: valuesOf(name) })).filter(({ values }) => values.length > 1);
  return tags.toSorted((a, b) => a.values.length - b.values.length).map(({ name, values }) => {
    const lines = values.map((value) => ({
      label: value,
      n: sizes(sets.map((set) => set.report.by_tag[name]?.[value]?.expected)),
      of: byModel(sets, (report) => report.by_tag[name]?.[value]?.metrics[metric]?.[view.family]),
      scale: scaleOf(sets[0]),
    }));
    const caption = `${words(metric)} by ${words(name)}, ${scaleInWords(scaleOf(sets[0]))}`;
    const table = () => estimateTable(caption, words(name), lines, sets.map((set) => set.model));
    if (values.length <= MOST_TAG_VALUES) return table();
    const more = el("details", {}, el("summary", {}, `${caption}: ${values.length} values`));
    more.addEventListener("toggle", () => more.append(table()), { once: true });
    return more;
  });
}

/** What the task says of itself in tables of its own. @param {string} task */
function ownTables(task) {
  const tables = (run.report.tables || []).filter((entry) => `${entry.benchmark}/${entry.task}` === task);
  return tables.map(({ title, columns, rows, note }) => el("div", { class: "own" },
    columns.length ? el("div", { class: "scroll" }, el("table", {}, el("caption", {}, shown(title)),
      headLine(columns.map((name) => shown(name)), columns.map((_, place) => place).filter((place) => rows.every((row) => isFigure(row[place])))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => isFigure(cell)
        ? el("td", { class: "number" }, plain(cell.number)) : el("td", {}, shown(cell)))))))) : null,
    note ? el("p", { class: "quiet" }, shown(note)) : null));
}

/** @param {string | {number: string}} cell */
function isFigure(cell) { return typeof cell === "object"; }

/** @param {CaseSet[]} sets */
function confusions(sets) {
  const known = sets.filter((set) => set.confusion);
  return known.length ? el("div", { class: "charts" }, known.map((set) => set.confusion && confusionTable(modelName(set.model), set.confusion))) : null;
}

/** @param {CaseSet[]} sets */
function spread(sets) {
  const metric = sets[0].metrics[0];
  const values = (/** @type {CaseSet} */ set, /** @type {string} */ name) => set[view.family][name].filter(isNumber);
  if (!sets.some((set) => values(set, metric).some((value) => value !== 0 && value !== 1))) return null;
  const label = `${words(metric)}, ${view.family}`;
  const bins = binsOf(sets.flatMap((set) => values(set, metric)), sets[0].scale);
  const charts = el("div", { class: "charts" }, sets.map((set) => histogram(modelName(set.model), set.model, values(set, metric), label, bins)));
  const pairs = ["precision", "recall"].every((name) => sets[0].metrics.includes(name));
  return [charts, pairs ? el("div", { class: "charts" }, sets.map((set) => precisionAgainstRecall(set))) : null];
}

/** One marker for all cases at the same place, the larger the more there are. @param {CaseSet} set */
function precisionAgainstRecall(set) {
  const places = new Map();
  set[view.family].precision.forEach((precision, place) => {
    const recall = set[view.family].recall[place];
    if (!isNumber(precision) || !isNumber(recall)) return;
    const key = `${recall.toFixed(2)} ${precision.toFixed(2)}`;
    places.set(key, { x: recall, y: precision, size: (places.get(key)?.size || 0) + 1 });
  });
  const points = [...places.values()].toSorted((a, b) => b.size - a.size);
  return scatterChart(modelName(set.model), points.map(({ x, y, size }) => ({
    model: set.model, x, y, radius: Math.min(14, 2 + 1.3 * Math.sqrt(size)),
    told: `${size} cases with precision ${score(y)} and recall ${score(x)}`,
  })), `recall, ${view.family}`, "precision");
}

/** Diagnostics whose names begin alike, such as f1_edge_…, share a table. @param {CaseSet[]} sets */
function diagnosticTables(sets) {
  const names = [...new Set(sets.flatMap((set) => Object.keys(set.report.diagnostics)))].toSorted();
  const stem = (/** @type {string} */ name) => name.slice(0, name.lastIndexOf("_"));
  const alike = (/** @type {string} */ name) => names.filter((other) => stem(other) === stem(name)).length > 2;
  const groups = Map.groupBy(names, (name) => alike(name) ? stem(name) : "");
  return [...groups].map(([group, members]) => estimateTable(
    group ? `${words(group)} …` : "means over the cases that each applies to", "diagnostic",
    members.map((name) => {
      const of = byModel(sets, (report) => report.diagnostics[name]);
      return { label: words(group ? name.slice(group.length + 1) : name), n: sizes([...of.values()].map((e) => e.n)), of };
    }), sets.map((set) => set.model), group !== ""));
}

/** @param {CaseSet[]} sets */
function sensitivity(sets) {
  const metric = sets[0].metrics[0];
  /** @type {{label: string, find: (families: Record<string, EstimateFields>) => Estimate | null | undefined}[]} */
  const ways = [];
  for (const family of FAMILY_NAMES) {
    ways.push({ label: `${family}, as reported`, find: (families) => families[family] });
    ways.push({ label: `${family}, scored cases alone`, find: (families) => families[family].sensitivity?.scored_only });
  }
  if (!sets.some((set) => set.report.metrics[metric].strict.sensitivity)) return null;
  return estimateTable(`${words(metric)}, cases without a readable answer counted or left out`, "counted", ways.map(({ label, find }) => {
    const of = byModel(sets, (report) => find(report.metrics[metric]));
    return { label, n: sizes([...of.values()].map((estimate) => estimate.n)), of, scale: scaleOf(sets[0]) };
  }), sets.map((set) => set.model));
}

/** Samples whose gold answer deserves a look, each with a link. @param {string} task */
function suspects(task) {
  const found = (run.report.suspects || []).find((entry) => `${entry.benchmark}/${entry.task}` === task);
  if (!found) return null;
  const link = (/** @type {string} */ id) => el("a", { href: caseAddress(task, id, found.models[0]) }, el("bdi", {}, plain(id, 60)));
  const answer = (/** @type {unknown} */ value) => el("bdi", {}, shown(excerpt(value)));
  const several = (/** @type {number} */ size) => `${count(size)} ${size === 1 ? "sample" : "samples"}`;
  return [
    found.same_other_answer.length ? [
      el("p", {}, `All models give the same other answer to ${several(found.same_other_answer.length)}:`),
      el("ul", {}, found.same_other_answer.map(({ sample, prediction, target }) => el("li", {}, link(sample),
        prediction === null ? null : [": ", answer(prediction), " instead of ", answer(target)])))]
      : el("p", {}, "No sample has the same other answer from all models."),
    found.all_wrong.length ? el("details", {}, el("summary", {}, `All models are wrong about ${several(found.all_wrong.length)}`),
      el("ul", { class: "columns" }, found.all_wrong.map((id) => el("li", {}, link(id))))) : null,
  ].flat();
}

/** What models in other roles than the one under test took. @param {CaseSet[]} sets */
function judging(sets) {
  const lines = sets.flatMap((set) => Object.entries(set.report.judging || {}).map(([role, took]) => ({ set, role, took })));
  if (!lines.length) return null;
  const heads = ["Answers of", "Role", "Model", "Prescribed", "Published figures", "Cases", "Calls", "Tokens in", "Tokens out", "Cost"];
  const compares = (/** @type {PageTask} */ { published }) => !published ? "–"
    : (published.compares ? "compare" : `do not compare: ${plain(published.differs.join("; "))}`);
  return el("div", { class: "scroll" }, el("table", {},
    headLine(heads, 5),
    el("tbody", {}, lines.map(({ set, role, took }) => {
      const numbers = [took.cases, took.calls, took.usage.input_tokens, took.usage.output_tokens].map(count);
      return el("tr", {}, el("th", { scope: "row" }, modelName(set.model)), el("td", {}, words(role)),
        el("td", {}, plain(took.model, 60)), el("td", {}, took.prescribed ? plain(took.prescribed, 60) : "–"),
        el("td", {}, compares(set.report)), [...numbers, dollarsThen(took)].map((text) => el("td", { class: "number" }, text)));
    }))));
}

/** Rows of data that are odd or unusable, by kind, each with its place. @param {PageTask} report */
function oddRows(report) {
  return report.rows.map(({ told, places }) => el("details", {}, el("summary", {}, plain(told)),
    el("div", { class: "scroll" }, el("table", {}, headLine(["File", "Line", "Field", "Value"], [1]),
      el("tbody", {}, places.map(({ file, line, field, value }) => el("tr", {}, el("td", {}, plain(file)),
        el("td", { class: "number" }, String(line)), el("td", {}, plain(field)), el("td", {}, shown(value)))))))));
}

/** @param {CaseSet[]} sets */
function provenance(sets) {
  return sets.map((set) => definitions({
    Model: [modelName(set.model), ` (${plain(set.report.model_api_id)})`],
    Data: [el("code", {}, plain(set.report.data_file)), el("span", { class: "hash" }, ` SHA-256 ${plain(set.report.data_sha256)}`)],
    Prompts: Object.entries(set.report.prompt_sha256).map(([name, hash]) =>
      el("div", {}, plain(name), el("span", { class: "hash" }, ` SHA-256 ${plain(hash)}`))),
    Recordings: set.report.cassette.recorded
      ? `${count(set.report.cassette.recorded)}, ${moment(set.report.cassette.first)} to ${moment(set.report.cassette.last)}` : "none",
  }));
}
