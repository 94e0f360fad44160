/* A run's page: its addresses, its keys, and the start. */

import { caseHash, decoded, listHash, matrixHash, taskLink, withFamily } from "./addresses.js";
import { pageData } from "./blocks.js";
import { casesPage, refine } from "./case_list.js";
import { casePage } from "./case_page.js";
import { byId, el, nodes } from "./elements.js";
import { matrixPage } from "./matrix.js";
import { setModels } from "./models.js";
import { count, moment } from "./numbers.js";
import { overviewPage } from "./overview.js";
import { drawHeader, FAMILY_NAMES, familyChoice, startPage } from "./page.js";
import { run } from "./run.js";
import { taskPage } from "./task_page.js";
import { plain } from "./text.js";
import { scrollToMarks } from "./text_blocks.js";
import { view } from "./view.js";

function header() {
  const { run: facts } = run.report;
  const tab = (/** @type {string} */ href, /** @type {string} */ text) => el("a", { href }, text);
  const sizes = [`${count(run.cases.length)} cases`, `${run.tasks.length} ${run.tasks.length === 1 ? "task" : "tasks"}`,
    `${run.models.length} ${run.models.length === 1 ? "model" : "models"}`];
  drawHeader("Proctor report", [plain(facts.id), moment(facts.started), ...sizes].join(" · "), [
    el("nav", { "aria-label": "Pages" }, tab("#/overview", "Overview"), run.tasks.map(taskLink), tab("#/cases", "Cases"),
      run.models.length > 1 ? tab(matrixHash(run.tasks[0]), "Matrix") : null),
    familyChoice(view.family, chooseFamily)]);
}

/** @param {Family} family */
function chooseFamily(family) {
  view.family = family;
  history.replaceState(null, "", withFamily(location.hash || "#/overview"));
  return route({ keepFocus: true });
}

/** The family that an address names; links name none, and keep what is shown. @param {string} query @param {boolean} fresh */
function takeFamily(query, fresh) {
  const named = FAMILY_NAMES.find((family) => family === new URLSearchParams(query).get("scores"));
  if (named) view.family = named;
  else if (!fresh) history.replaceState(null, "", withFamily(location.hash || "#/overview"));
  for (const input of byId("header").querySelectorAll("input")) input.checked = input.value === view.family;
}

/** Show the page that the address names. Of two that are made at once, it is the one asked for last. */
async function route({ keepFocus = false } = {}) {
  const mine = (view.route = Symbol("route"));
  const [path, query = ""] = (location.hash.slice(1) || "/overview").split("?");
  const [, page, ...parts] = path.split("/");
  const names = parts.map(decoded);
  takeFamily(query, !location.hash);
  view.shownCase = null;
  /** @type {Child} */
  let content;
  if (page === "task" && run.tasks.includes(names[0])) content = taskPage(names[0]);
  else if (page === "cases") content = casesPage(query);
  else if (page === "matrix" && run.tasks.includes(names[0])) content = matrixPage(names[0], query);
  else if (page === "case") content = await casePage(names);
  else content = overviewPage();
  if (mine !== view.route) return;
  const main = byId("main");
  main.replaceChildren(...nodes(content));
  main.dataset.page = page;
  scrollToMarks(main);
  const here = `#${path}`;
  for (const link of document.querySelectorAll("#header nav a")) {
    const isHere = link.getAttribute("href") === here || (page === "matrix" && link.textContent === "Matrix");
    if (!isHere) link.removeAttribute("aria-current");
    else link.setAttribute("aria-current", "page");
    if (isHere) link.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" }); // in a narrow header
  }
  document.title = `${main.querySelector("h2")?.textContent || "Overview"} – ${plain(run.report.run.id)} – Proctor report`;
  if (keepFocus) return;
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

/** "/" searches, Esc leaves a case or empties the search, arrows go to the next case. @param {KeyboardEvent} event */
function onKey(event) {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return;
  const field = target.closest("input[type=search], select, textarea");
  if (event.key === "Escape" && target instanceof HTMLInputElement && target.id === "filter-q") {
    target.value = "";
    refine({ q: "" });
  } else if (event.key === "/" && !field) {
    event.preventDefault();
    view.focusSearch = byId("main").dataset.page !== "cases";
    if (view.focusSearch) location.hash = listHash(view.filters);
    else byId("filter-q").focus();
  } else if (!field && view.shownCase) {
    const link = document.querySelector(`.neighbours [data-key="${CSS.escape(event.key)}"]`);
    if (!link || (event.key !== "Escape" && target.closest(".text, .scroll, .tree, audio, input"))) return;
    view.backTo = event.key === "Escape" ? caseHash(view.shownCase) : null;
    location.hash = link.getAttribute("href") || "";
  }
}

async function onAddress() {
  await route();
  if (view.focusSearch) document.getElementById("filter-q")?.focus();
  view.focusSearch = false;
}

startPage("The same numbers are in report.md beside it.", async () => {
  run.take(await pageData());
  setModels(run.models);
  header();
  addEventListener("hashchange", onAddress);
  document.addEventListener("keydown", onKey);
  await route({ keepFocus: true });
});
