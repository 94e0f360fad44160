/* The list of cases. */

import { caseHash, listHash, withFamily } from "./addresses.js";
import { announce, byId, el } from "./elements.js";
import { AGREEMENTS, cutNote, findCases } from "./find.js";
import { modelName } from "./models.js";
import { count, dollars, isNumber, score, seconds, tickText } from "./numbers.js";
import { run } from "./run.js";
import { scaleOf } from "./sets.js";
import { plain, shown, words } from "./text.js";
import { excerpt } from "./values.js";
import { verdictBadge, VERDICTS } from "./verdicts.js";
import { filtersOf, view } from "./view.js";

const PAGE = 100;

/** @type {Column[]} */
const COLUMNS = [
  ["sample", "Sample"], ["verdict", "Verdict"], ["task", "Task"], ["model", "Model"], [null, "Answer"], [null, "Target"],
  ["status", "Status"], ["strict", "Strict"], ["official", "Official"], ["input_tokens", "Tokens in"],
  ["output_tokens", "Tokens out"], ["cost", "Cost"], ["latency", "Latency"],
];
/** @type {Set<string | null>} */
const NUMERIC = new Set(["strict", "official", "input_tokens", "output_tokens", "cost", "latency"]);

/** @param {string} query */
export function casesPage(query) {
  view.filters = filtersOf(query);
  const results = el("div", { id: "results" });
  const page = [el("h2", {}, "Cases"), filterForm(), results];
  showResults(results);
  return page;
}

/** Change some filters, in the address too, and show what passes them now. @param {Partial<Filters>} changes */
export function refine(changes) {
  Object.assign(view.filters, { page: "" }, changes);
  history.replaceState(null, "", withFamily(listHash(view.filters)));
  return showResults(byId("results"));
}

function filterForm() {
  const tags = new Map();
  for (const { tags: named } of run.samples.values()) {
    for (const [name, { values }] of Object.entries(named)) tags.set(name, new Set([...(tags.get(name) || []), ...values]));
  }
  const choice = (/** @type {FilterName} */ name, /** @type {string} */ label, /** @type {Child} */ options) => {
    /** @type {HTMLSelectElement} */
    const select = el("select", { id: `filter-${name}`, onchange: () => refine({ [name]: select.value }) },
      el("option", { value: "" }, "all"), options);
    select.value = view.filters[name];
    return el("div", { class: "field" }, el("label", { for: `filter-${name}` }, label), select);
  };
  const option = (/** @type {string} */ value, text = value) => el("option", { value }, plain(text, 60));
  let waiting = 0;
  const search = () => find.isConnected && refine({ q: find.value }); // whoever has left the list meanwhile keeps the address
  const searchSoon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 200);
  };
  const searchNow = (/** @type {Event} */ event) => {
    event.preventDefault();
    search();
  };
  const find = el("input", { id: "filter-q", type: "search", value: view.filters.q, autocomplete: "off", spellcheck: "false",
    placeholder: "in prompt, answer, target, id", oninput: searchSoon });
  const form = el("form", { class: "filters", role: "search", "aria-label": "Cases", onsubmit: searchNow },
    el("div", { class: "field wide" }, el("label", { for: "filter-q" }, "Text ", el("kbd", {}, "/")), find),
    choice("task", "Task", run.tasks.map((task) => option(task))),
    choice("model", "Model", run.models.map((model) => option(model))),
    choice("status", "Status", run.statuses.map((status) => option(status, words(status)))),
    choice("verdict", "Verdict", VERDICTS.map((verdict) => option(verdict))),
    choice("agreement", "Agreement", Object.entries(AGREEMENTS).map(([value, text]) => option(value, text))),
    choice("tag", "Tag", [...tags].map(([name, values]) => el("optgroup", { label: words(name) },
      [...values].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).map((value) => option(`${name}=${value}`, value))))),
    el("button", { type: "button", onclick: clearFilters }, "Clear"));
  return form;
}

/** Show all cases; the focus stays where it is. */
function clearFilters() {
  view.filters = filtersOf("");
  for (const field of document.querySelectorAll(".filters select, .filters input")) {
    if (field instanceof HTMLSelectElement || field instanceof HTMLInputElement) field.value = "";
  }
  return refine({});
}

/** Draw the table. Of two searches under way at once, the last one asked for counts. @param {HTMLElement} results */
async function showResults(results) {
  const mine = (view.search = Symbol("search"));
  if (view.filters.q) results.setAttribute("aria-busy", "true");
  const found = await findCases(view.filters);
  if (mine !== view.search) return;
  view.found = found;
  results.removeAttribute("aria-busy");
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const page = Math.min(pages, Math.max(1, Number(view.filters.page) || 1));
  const from = (page - 1) * PAGE;
  const lines = found.slice(from, from + PAGE);
  const told = `${count(found.length)} of ${count(run.cases.length)} cases`;
  const part = pages > 1 ? `, ${count(from + 1)} to ${count(from + lines.length)} shown` : "";
  // Whoever has moved on into the list while a search went on stays where they are.
  const { activeElement: focused } = document;
  if (focused instanceof HTMLAnchorElement && results.contains(focused)) view.backTo ??= focused.getAttribute("href");
  results.replaceChildren(
    el("div", { class: "pager" }, el("p", { id: "found" }, told, part),
      pages > 1 ? [el("button", { type: "button", disabled: page === 1, onclick: turnTo(page - 1) }, "Previous"),
        el("button", { type: "button", disabled: page === pages, onclick: turnTo(page + 1) }, "Next")] : null),
    view.filters.q && cutNote() ? el("p", { class: "cut" }, cutNote()) : "",
    lines.length ? caseTable(lines) : el("p", { class: "quiet" }, "No case passes these filters."));
  announce(told);
  if (view.backTo) linksIn(results).find((link) => link.getAttribute("href") === view.backTo)?.focus();
  view.backTo = null;
}

/** Shows another page of the list. The focus stays where it was, or goes to the other button if there are no more.
 * @param {number} page
 */
function turnTo(page) {
  return async (/** @type {Event} */ { currentTarget: pressed }) => {
    const text = pressed instanceof HTMLElement ? pressed.textContent : "";
    await refine({ page: String(page) });
    const buttons = [...document.querySelectorAll(".pager button")].filter((one) => one instanceof HTMLButtonElement && !one.disabled);
    const next = buttons.find((button) => button.textContent === text) || buttons[0];
    if (next instanceof HTMLElement) next.focus();
  };
}

/** @type {FilterName[]} */
const FIXED = ["task", "model", "status", "verdict"];

/** All columns but those in which every line would say the same. */
function shownColumns() {
  return COLUMNS.filter(([key]) => !FIXED.some((name) => name === key && view.filters[name]));
}

/** @param {Case[]} lines */
function caseTable(lines) {
  const columns = shownColumns();
  const sort = view.filters.sort.replace(/^-/, "");
  const down = view.filters.sort.startsWith("-");
  const head = (/** @type {Column} */ [key, text]) => {
    const sorted = key && key === sort;
    const arrow = sorted ? (down ? " ↓" : " ↑") : "";
    const button = el("button", { type: "button", "data-sort": key, onclick: () => key && sortBy(key) }, text, arrow);
    const order = sorted ? (down ? "descending" : "ascending") : null;
    return el("th", { scope: "col", class: NUMERIC.has(key) ? "number" : null, "aria-sort": order }, key ? button : text);
  };
  const table = el("table", { class: "cases" }, el("thead", {}, el("tr", {}, columns.map(head))),
    el("tbody", { onkeydown: moveInList }, lines.map((one, number) => caseLine(one, number === 0, columns))));
  return el("div", { class: "scroll" }, table);
}

/** Sort by a column: numbers from the highest at first, the other way round at the second time. @param {string} key */
async function sortBy(key) {
  const first = NUMERIC.has(key) ? `-${key}` : key;
  const other = NUMERIC.has(key) ? key : `-${key}`;
  await refine({ sort: view.filters.sort === first ? other : first });
  const button = document.querySelector(`[data-sort="${key}"]`);
  if (button instanceof HTMLElement) button.focus();
}

/** @param {Case} one @param {boolean} reachable @param {Column[]} columns */
function caseLine(one, reachable, columns) {
  const [answer, target] = [el("td", { class: "excerpt" }), el("td", { class: "excerpt" })];
  excerpts(one, answer, target);
  const number = (/** @type {Child} */ text) => el("td", { class: "number" }, text);
  /** @type {Record<string, () => HTMLElement>} */
  const cells = {
    Task: () => el("td", {}, plain(one.set.task)),
    Model: () => el("td", {}, modelName(one.set.model)),
    Answer: () => answer,
    Target: () => target,
    Status: () => el("td", {}, words(run.status(one))),
    Verdict: () => el("td", {}, verdictBadge(run.verdict(one))),
    Strict: () => number(ownScore(one, "strict")),
    Official: () => number(ownScore(one, "official")),
    "Tokens in": () => number(count(one.set.input_tokens[one.place])),
    "Tokens out": () => number(count(one.set.output_tokens[one.place])),
    Cost: () => number(dollars(one.set.cost_usd[one.place])),
    Latency: () => number(seconds(one.set.latency_s[one.place])),
  };
  const name = run.sampleId(one) + (run.epoch(one) > 1 ? `, epoch ${run.epoch(one)}` : "");
  // One of the links is in the order of the Tab key, and arrow keys move on from it.
  /** @type {HTMLAnchorElement} */
  const link = el("a", { href: caseHash(one), tabindex: reachable ? 0 : -1, onfocus: () => reachOnly(link) },
    el("bdi", {}, plain(name, 60)));
  return el("tr", { class: "case", onclick: (event) => { if (!event.target.closest("a")) location.hash = caseHash(one); } },
    el("th", { scope: "row" }, link),
    columns.slice(1).map(([, title]) => cells[title]()));
}

/** A case's score: with the end of its scale where another task's is another one. @param {Case} one @param {Family} family */
function ownScore(one, family) {
  const value = run.score(one, family);
  const scale = scaleOf(one.set);
  const several = !view.filters.task && new Set(run.sets.map((set) => String(scaleOf(set)))).size > 1;
  return [score(value, { scale }), several && isNumber(value)
    ? el("span", { class: "quiet" }, scale[0] > scale[1] ? ", lower is better" : ` of ${tickText(scale[1])}`) : null];
}

/** @param {Case} one @param {HTMLElement} answerCell @param {HTMLElement} targetCell */
async function excerpts(one, answerCell, targetCell) {
  const [answer, sample] = await Promise.all([run.answer(one), run.sampleText(one)]);
  answerCell.append(el("bdi", {}, shown(excerpt(answer?.prediction ?? answer?.response_text ?? answer?.error))));
  targetCell.append(el("bdi", {}, shown(excerpt(sample?.target))));
}

/** The links to cases in a list. @param {Element} within @returns {HTMLAnchorElement[]} */
function linksIn(within) { return [...within.querySelectorAll("th a")].filter((one) => one instanceof HTMLAnchorElement); }

/** @param {HTMLAnchorElement} link */
function reachOnly(link) {
  const table = link.closest("tbody");
  for (const other of table ? linksIn(table) : []) other.tabIndex = other === link ? 0 : -1;
}

/** @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

/** @param {KeyboardEvent} event */
function moveInList(event) {
  const links = event.currentTarget instanceof Element ? linksIn(event.currentTarget) : [];
  const place = links.findIndex((link) => link === document.activeElement);
  const to = place + STEPS[event.key];
  if (place < 0 || Number.isNaN(to)) return;
  event.preventDefault();
  links[Math.max(0, Math.min(links.length - 1, to))].focus();
}
