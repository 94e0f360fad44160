/* Two runs, or two models, case by case: those that flipped first. */

let run = { models: [] }; // what charts take models from
let found = null;
const AT_ONCE = 10;
const CASE_KINDS = { worse: "Worse in b", better: "Better in b", changed: "Another answer, the same score" };

function sideName(pairing, side) {
  const other = side === "a" ? "b" : "a";
  return pairing[side].model !== pairing[other].model ? pairing[side].model : pairing[side].run;
}

function labelsOf(pairing) { return ["a", "b"].map((side) => `${side}: ${plain(sideName(pairing, side), 60)}`); }

function summary() {
  const heads = ["Task", "Model", "Metric", "Family", "a", "b", "b − a", "95 % interval", "p (Holm)", "b is", "Cases"];
  return el("section", { "aria-labelledby": "differences" }, el("h2", { id: "differences" }, "Differences"), el("div", { class: "scroll" },
    el("table", { class: "pairs" }, headLine(heads, [4, 5, 6]), el("tbody", {}, found.comparisons.map((one) => el("tr", {},
      el("th", { scope: "row" }, el("bdi", {}, plain(`${one.benchmark}/${one.task}`, 60))),
      el("td", {}, el("bdi", {}, plain(one.a.model === one.b.model ? one.a.model : `${one.a.model} → ${one.b.model}`, 80))),
      el("td", {}, words(one.metric)), el("td", {}, words(one.family)), el("td", { class: "number" }, score(one.a.value)), el("td", { class: "number" }, score(one.b.value)),
      el("td", { class: "number strong" }, score(one.difference, true)), el("td", { class: "interval" }, interval(one.ci95, true)), el("td", {}, probability(one.p_holm)),
      el("td", { class: `outcome ${["better", "worse"].includes(one.verdict) ? one.verdict : "none"}` }, words(one.verdict)),
      el("td", { class: "quiet" }, `${count(one.a_better)} worse, ${count(one.b_better)} better, of ${count(one.n)}`)))))));
}

function promptPart({ prompts: [a, b] }, labels) {
  if (a.text !== null && a.text === b.text) return el("details", {}, el("summary", {}, "The same prompt"), textBlock(a.text));
  if (a.text !== null && b.text !== null) return el("div", {}, el("h5", {}, "Prompts"), sideBySide(a.text, b.text, labels));
  const told = a.sha256 && b.sha256 ? (a.sha256 === b.sha256 ? "The same prompt, by its hash; " : "Another prompt, by its hash; ") : "";
  return el("p", { class: "quiet" }, `${told}the runs have not kept both texts.`);
}

function caseArticle(number, id, record) {
  const pairing = found.pairings[number], scale = found.scales[number];
  if (!record) return el("article", { class: "flip" }, el("h4", {}, el("bdi", {}, plain(id, 120))), el("p", { class: "quiet" }, "This page was cut to a size that browsers open: the texts are in results.jsonl."));
  const target = typeof record.target === "string" ? record.target : JSON.stringify(record.target);
  return el("article", { class: "flip", "data-sample": id }, el("h4", {}, el("bdi", {}, plain(id, 120))), promptPart(record, labelsOf(pairing)),
    el("p", {}, el("span", { class: "quiet" }, "Gold answer "), el("bdi", {}, shown(cut(target ?? NONE, 400)))),
    answersBeside(record.sides[0], record.sides[1], labelsOf(pairing), scale));
}

/** The cases of a kind, some at a time. */
function caseList(number, kind, records) {
  const { total, cases } = found.cases[number][kind];
  const box = el("div", {});
  const more = el("button", { type: "button" });
  let shownSoFar = 0;
  const grow = async () => {
    const next = cases.slice(shownSoFar, shownSoFar + AT_ONCE);
    shownSoFar += next.length;
    more.textContent = `Show ${Math.min(AT_ONCE, cases.length - shownSoFar)} more of ${count(total)}`;
    more.hidden = shownSoFar >= cases.length;
    const articles = await Promise.all(next.map(async ([id, place]) => caseArticle(number, id, await records.get(place))));
    box.append(...articles);
    return articles[0];
  };
  more.addEventListener("click", async () => {
    const first = await grow();
    first.tabIndex = -1;
    first.focus();
  });
  const left = total > cases.length ? el("p", { class: "quiet" }, `${count(total - cases.length)} more are in results.jsonl.`) : null;
  return { box: [box, more, left], grow };
}

function pairingSection(number, records, drawn) {
  const pairing = found.pairings[number];
  const model = pairing.a.model === pairing.b.model ? pairing.a.model : `${pairing.a.model} → ${pairing.b.model}`;
  const kinds = Object.entries(CASE_KINDS).map(([kind, label]) => {
    const { total } = found.cases[number][kind];
    const list = caseList(number, kind, records);
    const part = el("details", { class: kind, "data-kind": kind, open: kind !== "changed" && total > 0 }, el("summary", {}, el("h3", {}, `${label}: ${count(total)}`)), list.box);
    let begun = false;
    const begin = () => { if (part.open && !begun) { begun = true; return list.grow(); } return null; };
    part.addEventListener("toggle", begin);
    drawn.push(begin());
    return part;
  });
  const unpaired = Object.entries(pairing.unpaired).map(([reason, names]) => el("li", {}, `${count(names.length)} not compared, ${words(reason)}: `,
    el("bdi", {}, names.slice(0, 20).map((name) => plain(name, 60)).join(", ") + (names.length > 20 ? " …" : ""))));
  return el("section", { "data-task": `${pairing.benchmark}/${pairing.task}` }, el("h2", {}, el("bdi", {}, plain(`${pairing.benchmark}/${pairing.task}`, 60)), " ", el("bdi", {}, plain(model, 100))),
    pairing.data_differs ? el("p", { class: "outcome worse" }, "The data files differ.") : null,
    el("p", { class: "quiet" }, `${count(pairing.paired)} samples measured on both sides; a case is worse or better by its strict ${words(found.headlines[number])}.`),
    kinds, unpaired.length ? el("ul", { class: "plain" }, unpaired) : null);
}

function compareHeader() {
  const [a, b] = found.runs;
  const told = (one) => [el("bdi", {}, plain(one.id, 60)), ` ${moment(one.started)}`, one.git_commit ? ` ${plain(one.git_commit.slice(0, 8))}` : ""];
  return [el("div", { class: "title" }, el("h1", {}, "Proctor comparison"), el("p", { class: "quiet" }, a.id === b.id ? told(a) : ["a: ", told(a), " · b: ", told(b)])),
    el("nav", { "aria-label": "Sections" }), el("button", { type: "button", id: "theme", onclick: switchTheme }, "Theme")];
}

async function start() {
  rememberedTheme();
  const main = document.getElementById("main");
  if (typeof DecompressionStream === "undefined" || !Map.groupBy) {
    main.replaceChildren(el("p", {}, "This page needs a browser from 2024 or later. proctor compare prints the same figures."));
    return;
  }
  found = await unpacked(document.querySelector('script[data-block="run"]'));
  document.title = `${found.runs.map((one) => one.id).join(" and ")} – Proctor comparison`;
  document.getElementById("header").replaceChildren(...compareHeader());
  const records = new Records("cases", found.starts);
  const drawn = [];
  const sections = found.pairings.map((_, number) => pairingSection(number, records, drawn));
  // Where something flipped comes first.
  const flips = (number) => found.cases[number].worse.total + found.cases[number].better.total;
  const order = sections.map((_, number) => number).toSorted((x, y) => (flips(y) > 0) - (flips(x) > 0));
  main.replaceChildren(summary(), ...order.map((number) => sections[number]));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  await Promise.all(drawn);
  document.documentElement.dataset.ready = "true";
}

start();
