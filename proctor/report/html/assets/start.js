/* Addresses, the header, keys, and the start. */

let run = null;
/* What is shown: the family of scores, the filters of the list and what passed them, the case, what to do on arrival. */
const view = {
  family: "strict", filters: null, found: null, shownCase: null, route: null, search: null, verdicts: null, backTo: null, focusSearch: false,
};

function header() {
  const { run: facts } = run.report;
  const tab = (href, text) => el("a", { href }, text);
  const sizes = [`${count(run.cases.length)} cases`, `${run.tasks.length} ${run.tasks.length === 1 ? "task" : "tasks"}`,
    `${run.models.length} ${run.models.length === 1 ? "model" : "models"}`];
  const families = Object.keys(SIDE_MEANING).map((family) => el("label", {}, el("input", { type: "radio", name: "family", value: family,
    checked: family === view.family, onchange: () => chooseFamily(family) }), " ", family));
  return [
    el("div", { class: "title" }, el("h1", {}, "Proctor report"),
      el("p", { class: "quiet" }, [plain(facts.id), moment(facts.started), ...sizes].join(" · "))),
    el("nav", { "aria-label": "Pages" }, tab("#/overview", "Overview"), run.tasks.map(taskLink), tab("#/cases", "Cases"),
      run.models.length > 1 ? tab(matrixHash(run.tasks[0]), "Matrix") : null),
    el("fieldset", {}, el("legend", { class: "unseen" }, "Scores"), families),
    el("button", { type: "button", id: "theme", onclick: switchTheme }, "Theme")];
}

/** An address in this page that says which family of scores is shown, if it is not the usual one. */
function withFamily(hash) {
  const [path, query = ""] = hash.split("?");
  const found = new URLSearchParams(query);
  found.delete("scores");
  if (view.family !== "strict") found.set("scores", view.family);
  return path + (found.size ? `?${found}` : "");
}

function chooseFamily(family) {
  view.family = family;
  history.replaceState(null, "", withFamily(location.hash || "#/overview"));
  return route({ keepFocus: true });
}

/** The family that an address names; links name none, and keep what is shown. */
function takeFamily(query, fresh) {
  const named = new URLSearchParams(query).get("scores");
  if (named in SIDE_MEANING) view.family = named;
  else if (!fresh) history.replaceState(null, "", withFamily(location.hash || "#/overview"));
  for (const input of document.querySelectorAll("#header input[name=family]")) input.checked = input.value === view.family;
}

/** Show the page that the address names. Of two that are made at once, it is the one asked for last. */
async function route({ keepFocus = false } = {}) {
  const mine = (view.route = Symbol("route"));
  const [path, query = ""] = (location.hash.slice(1) || "/overview").split("?");
  const [, page, ...parts] = path.split("/");
  const names = parts.map(decoded);
  takeFamily(query, !location.hash);
  view.shownCase = null;
  let content;
  if (page === "task" && run.tasks.includes(names[0])) content = taskPage(names[0]);
  else if (page === "cases") content = casesPage(query);
  else if (page === "matrix" && run.tasks.includes(names[0])) content = matrixPage(names[0], query);
  else if (page === "case") content = await casePage(names);
  else content = overviewPage();
  if (mine !== view.route) return;
  const main = document.getElementById("main");
  main.replaceChildren(...content.flat(Infinity).filter(Boolean));
  main.dataset.page = page;
  scrollToMarks(main);
  const here = `#${path}`;
  for (const link of document.querySelectorAll("#header nav a")) {
    if (link.getAttribute("href") === here || (page === "matrix" && link.textContent === "Matrix")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${main.querySelector("h2")?.textContent || "Overview"} – ${plain(run.report.run.id)} – Proctor report`;
  if (keepFocus) return;
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; } // an address that somebody typed
}

/** "/" searches, Esc leaves a case or empties the search, arrows go to the next case. */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest("input[type=search], select, textarea");
  if (event.key === "Escape" && event.target.id === "filter-q") {
    event.target.value = "";
    refine({ q: "" });
  } else if (event.key === "/" && !field) {
    event.preventDefault();
    view.focusSearch = document.getElementById("main").dataset.page !== "cases";
    if (view.focusSearch) location.hash = listHash(view.filters || {});
    else document.getElementById("filter-q").focus();
  } else if (!field && view.shownCase) {
    const link = document.querySelector(`.neighbours [data-key="${event.key}"]`);
    if (!link || (event.key !== "Escape" && event.target.closest(".text, input"))) return;
    view.backTo = event.key === "Escape" ? caseHash(view.shownCase) : null;
    location.hash = link.getAttribute("href");
  }
}

/** Let the keyboard reach every block that scrolls and holds nothing that it reaches anyway: not all browsers do. */
function reachScrolling() {
  for (const block of document.querySelectorAll("main .text, main .scroll, main .tree")) {
    const scrolls = block.scrollHeight > block.clientHeight + 1 || block.scrollWidth > block.clientWidth + 1;
    const clips = getComputedStyle(block).overflowY !== "visible";
    if (scrolls && clips && !block.querySelector("a[href], button, summary, input")) block.tabIndex = 0;
  }
}

async function onAddress() {
  await route();
  if (view.focusSearch) document.getElementById("filter-q")?.focus();
  view.focusSearch = false;
}

async function start() {
  rememberedTheme();
  const main = document.getElementById("main");
  if (typeof DecompressionStream === "undefined" || !Map.groupBy) {
    main.replaceChildren(el("p", {}, "This page needs a browser from 2024 or later. The same numbers are in report.md beside it."));
    return;
  }
  run = new Run(await unpacked(document.querySelector('script[data-block="run"]')));
  document.getElementById("header").replaceChildren(...header().flat());
  addEventListener("hashchange", onAddress);
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the part of the address behind "#" names a page here
    document.getElementById("main").focus();
  });
  document.addEventListener("keydown", onKey);
  let waiting = 0;
  const soon = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(reachScrolling);
  };
  new MutationObserver(soon).observe(main, { childList: true, subtree: true });
  document.addEventListener("toggle", soon, true);
  addEventListener("resize", soon);
  await route({ keepFocus: true });
  document.documentElement.dataset.ready = "true";
}

start();
