/* One task: its metrics, and what they depend on. */

const MOST_TAG_VALUES = 12;

function taskPage(task) {
  const sets = run.setsOf(task);
  return [
    el("h2", {}, plain(task)),
    el("p", { class: "quiet" }, SIDE_MEANING[view.family], " ", el("a", { href: listHash({ task }) }, "All cases of this task"),
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

/** A titled section; none without content. */
function section(title, content) {
  const parts = [content].flat().filter(Boolean);
  return parts.length ? el("section", { "aria-label": title }, el("h3", {}, title), parts) : null;
}

/** Estimates by model, found in each set's report. */
function byModel(sets, find) {
  return new Map(sets.map((set) => [set.model, find(set.report)]).filter(([, estimate]) => estimate));
}

function metricTables(sets) {
  const models = sets.map((set) => set.model);
  const scales = Map.groupBy(sets[0].metrics, (name) => scaleInWords(scaleOf(sets[0], name)));
  return ["strict", "official"].flatMap((family) => [...scales].map(([told, names]) => estimateTable(`${family}, ${told}`, "metric",
    names.map((name) => {
      const of = byModel(sets, (report) => report.metrics[name]?.[family]);
      return { label: words(name), n: sizes([...of.values()].map((estimate) => estimate.n)), of, scale: scaleOf(sets[0], name) };
    }), models, false)));
}

/** One number if all are the same, else the lowest and the highest. */
function sizes(numbers) {
  const known = numbers.filter(isNumber);
  const [low, high] = extent(known);
  return known.length === 0 ? NONE : low === high ? low : `${count(low)}–${count(high)}`;
}

function tagTables(sets) {
  const names = [...new Set(sets.flatMap((set) => Object.keys(set.report.by_tag)))];
  const metric = sets[0].metrics[0];
  const valuesOf = (name) => [...new Set(sets.flatMap((set) => Object.keys(set.report.by_tag[name] || {})))];
  const tags = names.map((name) => [name, valuesOf(name)]).filter(([, values]) => values.length > 1);
  return tags.toSorted((a, b) => a[1].length - b[1].length).map(([name, values]) => {
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

/** What the task says of itself in tables of its own. */
function ownTables(task) {
  const tables = (run.report.tables || []).filter((entry) => `${entry.benchmark}/${entry.task}` === task);
  return tables.map(({ title, columns, rows, note }) => el("div", { class: "own" },
    columns.length ? el("div", { class: "scroll" }, el("table", {}, el("caption", {}, shown(title)),
      headLine(columns.map((name) => shown(name)), columns.map((_, place) => place).filter((place) => rows.every((row) => isFigure(row[place])))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => isFigure(cell)
        ? el("td", { class: "number" }, plain(cell.number)) : el("td", {}, shown(cell)))))))) : null,
    note ? el("p", { class: "quiet" }, shown(note)) : null));
}

function isFigure(cell) { return typeof cell === "object"; }

function confusions(sets) {
  const known = sets.filter((set) => set.confusion);
  return known.length ? el("div", { class: "charts" }, known.map((set) => confusionTable(modelName(set.model), set.confusion))) : null;
}

function spread(sets) {
  const metric = sets[0].metrics[0];
  const values = (set, name) => set[view.family][name].filter(isNumber);
  if (!sets.some((set) => values(set, metric).some((value) => value !== 0 && value !== 1))) return null;
  const label = `${words(metric)}, ${view.family}`;
  const bins = binsOf(sets.flatMap((set) => values(set, metric)), sets[0].scale);
  const charts = el("div", { class: "charts" }, sets.map((set) => histogram(modelName(set.model), set.model, values(set, metric), label, bins)));
  const pairs = ["precision", "recall"].every((name) => sets[0].metrics.includes(name));
  return [charts, pairs ? el("div", { class: "charts" }, sets.map((set) => precisionAgainstRecall(set))) : null];
}

/** One marker for all cases at the same place, the larger the more there are. */
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

/** Diagnostics whose names begin alike, such as f1_edge_…, share a table. */
function diagnosticTables(sets) {
  const names = [...new Set(sets.flatMap((set) => Object.keys(set.report.diagnostics)))].toSorted();
  const stem = (name) => name.slice(0, name.lastIndexOf("_"));
  const alike = (name) => names.filter((other) => stem(other) === stem(name)).length > 2;
  const groups = Map.groupBy(names, (name) => alike(name) ? stem(name) : "");
  return [...groups].map(([group, members]) => estimateTable(
    group ? `${words(group)} …` : "means over the cases that each applies to", "diagnostic",
    members.map((name) => {
      const of = byModel(sets, (report) => report.diagnostics[name]);
      return { label: words(group ? name.slice(group.length + 1) : name), n: sizes([...of.values()].map((e) => e.n)), of };
    }), sets.map((set) => set.model), group !== ""));
}

function sensitivity(sets) {
  const metric = sets[0].metrics[0];
  const ways = [];
  for (const family of ["strict", "official"]) {
    ways.push([`${family}, as reported`, (families) => families[family]]);
    ways.push([`${family}, scored cases alone`, (families) => families[family].sensitivity?.scored_only]);
  }
  if (!sets.some((set) => set.report.metrics[metric].strict.sensitivity)) return null;
  return estimateTable(`${words(metric)}, cases without a readable answer counted or left out`, "counted", ways.map(([label, find]) => {
    const of = byModel(sets, (report) => find(report.metrics[metric]));
    return { label, n: sizes([...of.values()].map((estimate) => estimate.n)), of, scale: scaleOf(sets[0]) };
  }), sets.map((set) => set.model));
}

/** Samples whose gold answer deserves a look, each with a link. */
function suspects(task) {
  const found = (run.report.suspects || []).find((entry) => `${entry.benchmark}/${entry.task}` === task);
  if (!found) return null;
  const link = (id) => el("a", { href: caseAddress(task, id, found.models[0]) }, el("bdi", {}, plain(id, 60)));
  const answer = (value) => el("bdi", {}, shown(excerpt(value)));
  const several = (size) => `${count(size)} ${size === 1 ? "sample" : "samples"}`;
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

/** What models in other roles than the one under test took. */
function judging(sets) {
  const lines = sets.flatMap((set) => Object.entries(set.report.judging || {}).map(([role, took]) => ({ set, role, took })));
  if (!lines.length) return null;
  const heads = ["Answers of", "Role", "Model", "Prescribed", "Published figures", "Cases", "Calls", "Tokens in", "Tokens out", "Cost"];
  const compares = ({ published }) => published ? (published.compares ? "compare" : `do not compare: ${plain(published.differs.join("; "))}`) : "–";
  return el("div", { class: "scroll" }, el("table", {},
    headLine(heads, 5),
    el("tbody", {}, lines.map(({ set, role, took }) => {
      const numbers = [took.cases, took.calls, took.usage.input_tokens, took.usage.output_tokens].map(count);
      return el("tr", {}, el("th", { scope: "row" }, modelName(set.model)), el("td", {}, words(role)),
        el("td", {}, plain(took.model, 60)), el("td", {}, took.prescribed ? plain(took.prescribed, 60) : "–"),
        el("td", {}, compares(set.report)), [...numbers, dollarsThen(took)].map((text) => el("td", { class: "number" }, text)));
    }))));
}

/** Rows of data that are odd or unusable, by kind, each with its place. */
function oddRows(report) {
  return report.rows.map(({ told, places }) => el("details", {}, el("summary", {}, plain(told)),
    el("div", { class: "scroll" }, el("table", {}, headLine(["File", "Line", "Field", "Value"], [1]),
      el("tbody", {}, places.map(({ file, line, field, value }) => el("tr", {}, el("td", {}, plain(file)),
        el("td", { class: "number" }, String(line)), el("td", {}, plain(field)), el("td", {}, shown(value)))))))));
}

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
