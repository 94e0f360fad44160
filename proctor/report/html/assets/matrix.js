/* Samples by models: who is right about what, and where they disagree. */

const SAMPLES_SHOWN = 100;

/** The address of a task's matrix. */
function matrixHash(task, sort = "", page = 1) {
  const query = new URLSearchParams([["sort", sort], ["page", page > 1 ? page : ""]].filter(([, value]) => value));
  return `#/matrix/${encodeURIComponent(task)}${query.size ? `?${query}` : ""}`;
}

/** A strict score as a share of what can be had, from 0 to 1; null where nothing was measured. */
function shareOf(one) {
  const value = run.score(one, "strict");
  const [worst, best] = one.set.scale;
  return isNumber(value) ? Math.min(1, Math.max(0, (value - worst) / (best - worst))) : null;
}

/** The cases of a task by sample: for each sample a list of each model's cases. */
function casesBySample(task) {
  const sets = run.setsOf(task);
  const rows = run.samples.get(task).ids.map(() => sets.map(() => []));
  sets.forEach((set, column) => set.samples.forEach((sample, place) => rows[sample][column].push({ set, place })));
  return rows;
}

/** How far the models are apart about a sample: the highest mean share less the lowest; null of fewer than two. */
function disagreement(columns) {
  const means = columns.map((cases) => cases.map(shareOf).filter(isNumber)).filter((shares) => shares.length)
    .map((shares) => shares.reduce((sum, share) => sum + share, 0) / shares.length);
  if (means.length < 2) return null;
  const [low, high] = extent(means);
  return high - low;
}

function matrixPage(task, query) {
  const given = new URLSearchParams(query);
  const sort = given.get("sort") || "";
  const rows = sortedRows(casesBySample(task).map((columns, sample) => ({ sample, columns, apart: disagreement(columns) })), sort);
  const pages = Math.max(1, Math.ceil(rows.length / SAMPLES_SHOWN));
  const page = Math.min(pages, Math.max(1, Number(given.get("page")) || 1));
  const shown = rows.slice((page - 1) * SAMPLES_SHOWN, page * SAMPLES_SHOWN);
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

/** Rows by a column, upwards or downwards; those without a value last. */
function sortedRows(rows, sort) {
  const [down, name] = sort.startsWith("-") ? [true, sort.slice(1)] : [false, sort];
  const models = rows.length ? rows[0].columns.map((cases) => cases[0]?.set.model) : [];
  const place = name === "disagreement" ? -1 : run.models.includes(name) ? models.indexOf(name) : null;
  if (place === null) return down ? rows.toReversed() : rows;
  const key = (row) => (place < 0 ? row.apart : row.columns[place]?.length ? shareOf(row.columns[place][0]) : null);
  return rows.map((row) => [key(row), row])
    .sort(([a], [b]) => (isNumber(a) ? 0 : 1) - (isNumber(b) ? 0 : 1) || (down ? b - a : a - b) || 0).map(([, row]) => row);
}

function matrixTable(task, rows, sort) {
  const { ids } = run.samples.get(task);
  const sets = run.setsOf(task);
  const head = (name, content, kind) => {
    const sorted = sort === name ? "ascending" : sort === `-${name}` ? "descending" : null;
    const other = sorted === "descending" ? name : `-${name}`;
    return el("th", { scope: "col", class: kind, "aria-sort": sorted }, el("a", { href: matrixHash(task, other) }, content),
      sorted ? (sorted === "descending" ? " \u2193" : " \u2191") : null);
  };
  const cell = (cases) => el("td", { class: "matrix-cell" }, cases.length ? cases.map((one) => el("a",
    { href: caseHash(one), class: `verdict ${run.verdict(one).replace(" ", "-")}`, title: run.verdict(one) },
    VERDICT_MARKS[run.verdict(one)], " ", score(run.score(one, "strict"), { scale: scaleOf(one.set) }),
    el("span", { class: "unseen" }, ` ${run.verdict(one)}`))) : NONE);
  return el("div", { class: "scroll" }, el("table", { class: "matrix" },
    el("caption", {}, `${words(sets[0].metrics[0])}, ${scaleInWords(scaleOf(sets[0]))}`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Sample"), head("disagreement", "Disagreement", "number"),
      sets.map((set) => head(set.model, modelName(set.model), null)))),
    el("tbody", {}, rows.map(({ sample, columns, apart }) => el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, plain(ids[sample], 60))),
      el("td", { class: "number" }, isNumber(apart) ? apart.toFixed(2) : NONE), columns.map(cell))))));
}
