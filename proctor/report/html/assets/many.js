/* Many runs: where each task and model stands, how it came to it, and every run. */

let run = null; // what charts take models from
let many = null;
const FIRST_RUNS = 50;
const MEANING = {
  strict: "Strict: every selected case counts, and every failure has the worst value.",
  official: "Official: the published grader’s formula, with its quirks.",
};
const shownNow = { family: "strict", search: "", all: false };

function runLink(found, text) {
  return found.page ? el("a", { href: `./${found.link}/${found.page}` }, text) : text;
}

/** What is told of a run of some samples, or with cases that were not measured. */
function parts(entry) {
  return [entry.selected < entry.in_data ? `${count(entry.selected)} of ${count(entry.in_data)} samples` : null,
    entry.not_measured ? `${count(entry.not_measured)} of ${count(entry.expected)} cases not measured` : null].filter(Boolean);
}

function direction(scale) { return scale[0] > scale[1] ? "less is better" : `${tickText(scale[1])} is best`; }

function leaderSection() {
  const tables = many.leaderboard.map((board) => {
    const sign = board.scale[0] > board.scale[1] ? -1 : 1;
    const estimateOf = (line) => line.entry.scores[shownNow.family] || { value: null };
    const worth = (line) => (isNumber(estimateOf(line).value) ? sign * estimateOf(line).value : -Infinity);
    const lines = board.lines.toSorted((a, b) => worth(b) - worth(a));
    const axis = axisOf(lines.flatMap((line) => [estimateOf(line).value, ...(estimateOf(line).ci95 || [])]));
    return el("tbody", { "data-task": board.task },
      el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: 6 }, el("bdi", {}, plain(board.task, 80)),
        el("span", { class: "quiet" }, ` ${words(board.metric)}, ${direction(board.scale)}`))),
      lines.map((line) => {
        const estimate = estimateOf(line), of = many.runs[line.run];
        const notes = [...parts(line.entry), line.differs.length ? `other ${line.differs.join(", ")} than the newest of this task` : null].filter(Boolean);
        const newer = line.newer === null ? null : many.runs[line.newer];
        return el("tr", {}, el("th", { scope: "row" }, modelName(line.model)),
          el("td", { class: "number strong" }, score(estimate.value)),
          el("td", { class: "interval" }, interval(estimate.ci95)), el("td", {}, spark(line.model, estimate, axis)),
          el("td", {}, runLink(of, moment(of.started))),
          el("td", { class: "quiet" }, notes.join("; "), newer ? [notes.length ? "; " : "", "not counted: ", runLink(newer, moment(newer.started)), ", of a part only"] : null));
      }));
  });
  return el("section", { "aria-labelledby": "leaderboard" }, el("h2", { id: "leaderboard" }, "Leaderboard"),
    el("p", { class: "quiet" }, "The newest score of each task and model. ", MEANING[shownNow.family]),
    tables.length ? el("div", { class: "scroll" }, el("table", { class: "scores leaderboard" },
      headLine(["Model", "Score", "95 % interval", "", "Run", "Note"], [1]), tables)) : el("p", {}, "No run here has a score."));
}

function historySection() {
  const told = many.histories.map((history) => {
    const whole = history.points.filter((point) => point.whole);
    const points = whole.length ? whole : history.points;
    return { ...history, points, left: history.points.length - points.length };
  }).filter((history) => history.points.length > 1);
  if (!told.length) return null;
  const runOf = (point) => {
    const of = many.runs[point.run];
    return { href: of.page ? `./${of.link}/${of.page}` : null, date: moment(of.started) };
  };
  return el("section", { "aria-labelledby": "histories" }, el("h2", { id: "histories" }, "History"),
    el("p", { class: "quiet" }, "One point a run, the oldest first. A line ends where data, prompts, scorer, judges or the selected samples became others: scores on both sides do not compare."),
    [...Map.groupBy(told, (history) => history.task)].map(([task, histories]) => el("section", { class: "of-task" },
      el("h3", {}, el("bdi", {}, plain(task, 80))),
      histories.map((history) => [
        historyChart([modelName(history.model), el("span", { class: "quiet" }, ` ${words(history.metric)}, ${direction(history.scale)}`
          + (history.left ? `; left out: ${count(history.left)} ${history.left === 1 ? "run" : "runs"} of a part only` : ""))],
        history, shownNow.family, runOf),
        historyTable(history, runOf)]))));
}

function historyTable({ points }, runOf) {
  const table = el("details", {}, el("summary", {}, `${count(points.length)} runs in figures`));
  table.addEventListener("toggle", () => {
    if (table.childElementCount > 1) return;
    table.append(el("div", { class: "scroll" }, el("table", {}, headLine(["Run", "Score", "95 % interval", "Note"], [1]),
      el("tbody", {}, points.toReversed().map((point) => {
        const estimate = point.scores[shownNow.family] || { value: null }, { href, date } = runOf(point);
        return el("tr", {}, el("th", { scope: "row" }, href ? el("a", { href }, date) : date), el("td", { class: "number" }, score(estimate.value)),
          el("td", { class: "interval" }, interval(estimate.ci95)),
          el("td", { class: "quiet" }, [...parts(point), point.differs.length ? `other ${point.differs.join(", ")} than before` : null].filter(Boolean).join("; ")));
      })))));
  });
  return table;
}

const GATES = new Map([["holds", "✓ holds"], ["does not hold", "✕ does not hold"], ["undecided", "? undecided"]]);
const GATE_CLASSES = new Map([["holds", "better"], ["does not hold", "worse"]]);

function runTable() {
  const wanted = shownNow.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = many.runs.filter((one) => {
    const text = [one.folder, one.id, one.started, one.command, one.git_commit, one.gate, ...one.tasks, ...one.models].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const shown = shownNow.all ? found : found.slice(0, FIRST_RUNS);
  const some = (names) => names.slice(0, 3).map((name) => plain(name, 40)).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
  return el("div", { id: "runs-found" },
    el("p", { class: "quiet", role: "status" }, `${count(found.length)} of ${count(many.runs.length)} runs`),
    el("div", { class: "scroll" }, el("table", { class: "runs" },
      headLine(["Started", "Folder", "Tasks", "Models", "Cases", "Not measured", "Gate", "Took", "Cost", "Commit"], [4, 5, 7, 8]),
      el("tbody", {}, shown.map((one) => el("tr", { title: one.command ? plain(one.command, 300) : null },
        el("th", { scope: "row" }, runLink(one, moment(one.started))), el("td", {}, el("bdi", {}, plain(one.folder, 40))),
        el("td", {}, some(one.tasks)), el("td", {}, some(one.models)),
        el("td", { class: "number" }, count(one.cases)), el("td", { class: "number" }, one.not_measured ? count(one.not_measured) : NONE),
        el("td", { class: `outcome ${GATE_CLASSES.get(one.gate) || "none"}` }, GATES.get(one.gate) || ""),
        el("td", { class: "number" }, seconds(one.duration_s)), el("td", { class: "number" }, dollarsThen(one)),
        el("td", { class: "hash" }, one.git_commit ? plain(one.git_commit.slice(0, 8) + (one.git_commit.endsWith("+") ? "+" : "")) : NONE)))))),
    found.length > shown.length ? el("button", { type: "button", onclick: () => { shownNow.all = true; redrawRuns(); } }, `Show all ${count(found.length)} runs`) : null);
}

function redrawRuns() { document.getElementById("runs-found").replaceWith(runTable()); }

function runSection() {
  const search = el("input", { type: "search", id: "search", autocomplete: "off", oninput: (event) => { shownNow.search = event.target.value; redrawRuns(); } });
  search.value = shownNow.search;
  return el("section", { "aria-labelledby": "runs" }, el("h2", { id: "runs" }, "Runs"),
    many.runs.length ? [el("div", { class: "filters" }, el("div", { class: "field wide" }, el("label", { for: "search" }, "Search ", el("kbd", {}, "/")), search)),
      runTable()] : el("p", {}, "No run here has ended."));
}

/** Runs without a report: they go on, or were cut short. With a server, each has a page of its own. */
function unfinishedSection() {
  if (!many.unfinished.length) return null;
  return el("section", { "aria-labelledby": "unfinished" }, el("h2", { id: "unfinished" }, "Without a report"),
    el("p", { class: "quiet" }, "These runs go on, or were cut short. ", "proctor report RUN makes the report of one that has ended."),
    el("ul", { class: "plain" }, many.unfinished.map((one) => el("li", {}, many.server ? el("a", { href: `./${one.link}/live` }, moment(one.started)) : moment(one.started),
      " ", el("bdi", {}, plain(one.folder, 80)), " ", el("code", {}, plain(one.command, 200))))));
}

function othersSection() {
  if (!many.others.length) return null;
  return el("section", { "aria-labelledby": "others" }, el("h2", { id: "others" }, "Not shown"),
    el("ul", { class: "plain" }, many.others.map((one) => el("li", {}, el("bdi", {}, plain(one.folder, 80)), ": ", el("bdi", {}, plain(one.problem, 300))))));
}

function draw() {
  document.getElementById("main").replaceChildren(...[many.server ? unfinishedSection() : null, leaderSection(), historySection(), runSection(),
    many.server ? null : unfinishedSection(), othersSection()].filter(Boolean));
}

function manyHeader() {
  const tab = (id, text) => el("a", { href: `#${id}`, onclick: (event) => {
    event.preventDefault();
    const head = document.getElementById(id);
    head.tabIndex = -1;
    head.scrollIntoView();
    head.focus({ preventScroll: true });
  } }, text);
  const families = Object.keys(MEANING).map((family) => el("label", {}, el("input", { type: "radio", name: "family", value: family,
    checked: family === shownNow.family, onchange: () => { shownNow.family = family; history.replaceState(null, "", `#${family}`); draw(); } }), " ", family));
  const there = (list, id, text) => (list.length ? tab(id, text) : null);
  return [el("div", { class: "title" }, el("h1", {}, "Proctor runs"),
    el("p", { class: "quiet" }, `${count(many.runs.length)} ${many.runs.length === 1 ? "run" : "runs"} · ${count(run.models.length)} ${run.models.length === 1 ? "model" : "models"}`)),
  el("nav", { "aria-label": "Sections" }, tab("leaderboard", "Leaderboard"), document.getElementById("histories") ? tab("histories", "History") : null,
    tab("runs", "Runs"), there(many.unfinished, "unfinished", "Without a report"), there(many.others, "others", "Not shown")),
  el("fieldset", {}, el("legend", { class: "unseen" }, "Scores"), families),
  el("button", { type: "button", id: "theme", onclick: switchTheme }, "Theme")];
}

async function start() {
  rememberedTheme();
  if (typeof DecompressionStream === "undefined" || !Map.groupBy) {
    document.getElementById("main").replaceChildren(el("p", {}, "This page needs a browser from 2024 or later. Each run has its numbers in report.md."));
    return;
  }
  many = await unpacked(document.querySelector('script[data-block="run"]'));
  run = { models: [...new Set(many.histories.map((history) => history.model))] };
  if (location.hash === "#official") shownNow.family = "official";
  draw();
  document.getElementById("header").replaceChildren(...manyHeader().flat());
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input[type=search]")) return;
    event.preventDefault();
    document.getElementById("search")?.focus();
  });
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  document.documentElement.dataset.ready = "true";
}

start();
