/* Many runs: where each task and model stands, how it came to it, and every run. */

import { axisOf } from "./axes.js";
import { pageData } from "./blocks.js";
import { spark } from "./charts.js";
import { byId, el, nodes, unseen } from "./elements.js";
import { historyChart, historyTable, partsLeftOut } from "./histories.js";
import { modelName, setModels } from "./models.js";
import { count, dollarsThen, interval, isNumber, moment, NONE, score, seconds, tickText } from "./numbers.js";
import { drawHeader, FAMILIES, familyChoice, sectionLink, startPage } from "./page.js";
import { headLine } from "./tables.js";
import { plain, words } from "./text.js";

/** @type {ManyData} */
let many = Object.create(null);
const FIRST_RUNS = 50;
/** @type {{family: Family, search: string, all: boolean}} */
const shownNow = { family: "strict", search: "", all: false };

/** @param {RunLine} found @param {string} text */
function runLink(found, text) {
  return found.page ? el("a", { href: `./${found.link}/${found.page}` }, text) : text;
}

/** @param {Scale} scale */
function direction(scale) { return scale[0] > scale[1] ? "less is better" : `${tickText(scale[1])} is best`; }

/** @param {Measured} entry @returns {Estimate} */
function estimateOf(entry) { return entry.scores[shownNow.family] || { value: null }; }

/** @param {Board} board */
function boardLines({ task, metric, scale, lines }) {
  const sign = scale[0] > scale[1] ? -1 : 1;
  const worth = (/** @type {BoardLine} */ { entry }) => {
    const { value } = estimateOf(entry);
    return isNumber(value) ? sign * value : -Infinity;
  };
  const axis = axisOf(lines.flatMap(({ entry }) => [estimateOf(entry).value, ...(estimateOf(entry).ci95 || [])]));
  return el("tbody", { "data-task": task },
    el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: 6 }, el("bdi", {}, plain(task, 80)),
      el("span", { class: "quiet" }, ` ${words(metric)}, ${direction(scale)}`))),
    lines.toSorted((a, b) => worth(b) - worth(a)).map((line) => {
      const estimate = estimateOf(line.entry), of = many.runs[line.run];
      const notes = [...partsLeftOut(line.entry), ...line.differs.length ? [`other ${line.differs.join(", ")} than the newest of this task`] : []];
      const newer = line.newer === null ? null : many.runs[line.newer];
      return el("tr", {}, el("th", { scope: "row" }, modelName(line.model)),
        el("td", { class: "number strong" }, score(estimate.value, { scale })),
        el("td", { class: "interval" }, interval(estimate.ci95, { scale })), el("td", {}, spark(line.model, estimate, axis)),
        el("td", {}, runLink(of, moment(of.started))),
        el("td", { class: "quiet" }, notes.join("; "),
          newer ? [notes.length ? "; " : "", "not counted: ", runLink(newer, moment(newer.started)), ", of a part only"] : null));
    }));
}

function leaderSection() {
  return el("section", { "aria-labelledby": "leaderboard" }, el("h2", { id: "leaderboard" }, "Leaderboard"),
    el("p", { class: "quiet" }, "The newest score of each task and model. ", FAMILIES[shownNow.family]),
    many.leaderboard.length ? el("div", { class: "scroll" }, el("table", { class: "scores leaderboard" },
      headLine(["Model", "Score", "95 % interval", unseen("Drawn"), "Run", "Note"], [1]), many.leaderboard.map(boardLines)))
      : el("p", {}, "No run here has a score."));
}

function historySection() {
  const told = many.histories.map((history) => {
    const whole = history.points.filter((point) => point.whole);
    const points = whole.length ? whole : history.points;
    return { ...history, points, left: history.points.length - points.length };
  }).filter((history) => history.points.length > 1);
  if (!told.length) return null;
  /** @type {RunOf} */
  const runOf = (point) => {
    const of = many.runs[point.run];
    return { href: of.page ? `./${of.link}/${of.page}` : null, date: moment(of.started) };
  };
  return el("section", { "aria-labelledby": "histories" }, el("h2", { id: "histories" }, "History"),
    el("p", { class: "quiet" }, "One point a run, the oldest first. A line ends where data, prompts, scorer, judges or the "
      + "selected samples became others: scores on both sides do not compare."),
    [...Map.groupBy(told, (history) => history.task)].map(([task, histories]) => el("section", { class: "of-task" },
      el("h3", {}, el("bdi", {}, plain(task, 80))),
      histories.map((history) => [
        historyChart([modelName(history.model), el("span", { class: "quiet" }, ` ${words(history.metric)}, ${direction(history.scale)}`
          + (history.left ? `; left out: ${count(history.left)} ${history.left === 1 ? "run" : "runs"} of a part only` : ""))],
        history, shownNow.family, runOf),
        historyTable(history, shownNow.family, runOf)]))));
}

const GATES = new Map([["holds", ["✓ holds", "better"]], ["does not hold", ["✕ does not hold", "worse"]], ["undecided", ["? undecided", "none"]]]);

/** @param {RunLine} one */
function runRow(one) {
  const some = (/** @type {string[]} */ names) =>
    names.slice(0, 3).map((name) => plain(name, 40)).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
  const [gate, shows] = GATES.get(one.gate || "") || ["", "none"];
  return el("tr", { title: one.command ? plain(one.command, 300) : null },
    el("th", { scope: "row" }, runLink(one, moment(one.started))), el("td", {}, el("bdi", {}, plain(one.folder, 40))),
    el("td", {}, some(one.tasks)), el("td", {}, some(one.models)),
    el("td", { class: "number" }, count(one.cases)), el("td", { class: "number" }, one.not_measured ? count(one.not_measured) : NONE),
    el("td", { class: `outcome ${shows}` }, gate),
    el("td", { class: "number" }, seconds(one.duration_s)), el("td", { class: "number" }, dollarsThen(one)),
    el("td", { class: "hash" }, one.git_commit ? plain(one.git_commit.slice(0, 8) + (one.git_commit.endsWith("+") ? "+" : "")) : NONE));
}

function runTable() {
  const wanted = shownNow.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = many.runs.filter((one) => {
    const text = [one.folder, one.id, one.started, one.command, one.git_commit, one.gate, ...one.tasks, ...one.models].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const shown = shownNow.all ? found : found.slice(0, FIRST_RUNS);
  return el("div", { id: "runs-found" },
    el("p", { class: "quiet", role: "status" }, `${count(found.length)} of ${count(many.runs.length)} runs`),
    el("div", { class: "scroll" }, el("table", { class: "runs" },
      headLine(["Started", "Folder", "Tasks", "Models", "Cases", "Not measured", "Gate", "Took", "Cost", "Commit"], [4, 5, 7, 8]),
      el("tbody", {}, shown.map(runRow)))),
    found.length > shown.length ? el("button", { type: "button", onclick: () => {
      shownNow.all = true;
      redrawRuns();
      byId("runs-found").querySelectorAll("tbody tr")[shown.length].querySelector("a")?.focus();
    } }, `Show all ${count(found.length)} runs`) : null);
}

function redrawRuns() { byId("runs-found").replaceWith(runTable()); }

function runSection() {
  const search = el("input", { type: "search", id: "search", autocomplete: "off", value: shownNow.search, oninput: () => {
    shownNow.search = search.value;
    redrawRuns();
  } });
  return el("section", { "aria-labelledby": "runs" }, el("h2", { id: "runs" }, "Runs"),
    many.runs.length ? [el("div", { class: "filters" },
      el("div", { class: "field wide" }, el("label", { for: "search" }, "Search ", el("kbd", {}, "/")), search)),
      runTable()] : el("p", {}, "No run here has ended."));
}

/** Runs without a report: they go on, or were cut short. With a server, each has a page of its own. */
function unfinishedSection() {
  if (!many.unfinished.length) return null;
  return el("section", { "aria-labelledby": "unfinished" }, el("h2", { id: "unfinished" }, "Without a report"),
    el("p", { class: "quiet" }, "These runs go on, or were cut short. ", "proctor report RUN makes the report of one that has ended."),
    el("ul", { class: "plain" }, many.unfinished.map((one) => el("li", {},
      many.server ? el("a", { href: `./${one.link}/live` }, moment(one.started)) : moment(one.started),
      " ", el("bdi", {}, plain(one.folder, 80)), " ", el("code", {}, plain(one.command, 200))))));
}

function othersSection() {
  if (!many.others.length) return null;
  return el("section", { "aria-labelledby": "others" }, el("h2", { id: "others" }, "Not shown"),
    el("ul", { class: "plain" }, many.others.map((one) => el("li", {}, el("bdi", {}, plain(one.folder, 80)), ": ", el("bdi", {}, plain(one.problem, 300))))));
}

function draw() {
  byId("main").replaceChildren(...nodes([many.server ? unfinishedSection() : null, leaderSection(), historySection(), runSection(),
    many.server ? null : unfinishedSection(), othersSection()]));
}

function header() {
  const models = new Set(many.histories.map((history) => history.model));
  setModels([...models]);
  draw();
  const there = [["leaderboard", "Leaderboard"], ["histories", "History"], ["runs", "Runs"], ["unfinished", "Without a report"], ["others", "Not shown"]]
    .filter(([id]) => document.getElementById(id));
  const sizes = `${count(many.runs.length)} ${many.runs.length === 1 ? "run" : "runs"} · ${count(models.size)} ${models.size === 1 ? "model" : "models"}`;
  drawHeader("Proctor runs", sizes, [
    el("nav", { "aria-label": "Sections" }, there.map(([id, text]) => sectionLink(id, text))),
    familyChoice(shownNow.family, (family) => {
      shownNow.family = family;
      history.replaceState(null, "", `#${family}`);
      draw();
    })]);
}

startPage("Each run has its numbers in report.md.", async () => {
  many = await pageData();
  if (location.hash === "#official") shownNow.family = "official";
  header();
  addEventListener("keydown", (event) => {
    const inField = event.target instanceof Element && event.target.closest("input[type=search]");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || inField) return;
    event.preventDefault();
    document.getElementById("search")?.focus();
  });
});
