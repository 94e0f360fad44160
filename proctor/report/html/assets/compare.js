/* Two runs, or two models, case by case: those that flipped first. */

import { pageData, Records } from "./blocks.js";
import { sideBySide } from "./diff.js";
import { byId, el } from "./elements.js";
import { growingList, openingList } from "./growing.js";
import { count, interval, moment, NONE, probability, score } from "./numbers.js";
import { drawHeader, sectionLink, startPage } from "./page.js";
import { answersBeside } from "./sides.js";
import { headLine } from "./tables.js";
import { cut, plain, shown, words } from "./text.js";
import { textBlock } from "./text_blocks.js";

/** @type {Record<FlipKind, string>} */
const CASE_KINDS = { worse: "Worse in b", better: "Better in b", changed: "Another answer, the same score" };
const KIND_NAMES = /** @type {FlipKind[]} */ (Object.keys(CASE_KINDS));
const SHOWS = new Map([["better", "▲ better"], ["worse", "▼ worse"]]);

/** What each side is called: its model, or its run where both are of one model. @param {Pairing} pairing */
function labelsOf({ a, b }) {
  return [a, b].map((side, place) => `${"ab"[place]}: ${plain(a.model === b.model ? side.run : side.model, 60)}`);
}

/** @param {{a: {model: string}, b: {model: string}}} pairing */
function modelsOf({ a, b }) { return a.model === b.model ? a.model : `${a.model} → ${b.model}`; }

/** How many cases are worse and better, over all: what a reader wants to know first. @param {ComparisonData} found */
function verdictLine(found) {
  const sum = (/** @type {FlipKind} */ kind) => found.cases.reduce((total, of) => total + of[kind].total, 0);
  const paired = found.pairings.reduce((total, { paired: some }) => total + some, 0);
  return el("p", { id: "flipped" }, el("span", { class: "outcome worse strong" }, `▼ ${count(sum("worse"))} worse`), ", ",
    el("span", { class: "outcome better strong" }, `▲ ${count(sum("better"))} better`), ` in b, of ${count(paired)} cases compared; `
    + `${count(sum("changed"))} with another answer and the same score.`);
}

/** @param {ComparisonData} found */
function differences(found) {
  const heads = ["Task", "Model", "Metric", "Family", "a", "b", "b − a", "95 % interval", "p (Holm)", "b is", "Cases"];
  const scales = new Map(found.pairings.map((pairing, number) => [`${pairing.benchmark}/${pairing.task} ${found.headlines[number]}`, found.scales[number]]));
  return el("section", { "aria-labelledby": "differences" }, el("h2", { id: "differences" }, "Differences"), el("div", { class: "scroll" },
    el("table", { class: "differences" }, headLine(heads, [4, 5, 6]), el("tbody", {}, found.comparisons.map((one) => {
      const task = `${one.benchmark}/${one.task}`;
      const scale = scales.get(`${task} ${one.metric}`);
      return el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, plain(task, 60))), el("td", {}, el("bdi", {}, plain(modelsOf(one), 80))),
        el("td", {}, words(one.metric)), el("td", {}, words(one.family)),
        el("td", { class: "number" }, score(one.a.value, { scale })), el("td", { class: "number" }, score(one.b.value, { scale })),
        el("td", { class: "number strong" }, score(one.difference, { signed: true, scale })),
        el("td", { class: "interval" }, interval(one.ci95, { signed: true, scale })), el("td", {}, probability(one.p_holm)),
        el("td", { class: `outcome ${SHOWS.has(one.verdict) ? one.verdict : "none"}` }, SHOWS.get(one.verdict) || words(one.verdict)),
        el("td", { class: "quiet" }, `${count(one.a_better)} worse, ${count(one.b_better)} better, of ${count(one.n)}`));
    })))));
}

/** @param {PairRecord} record @param {string[]} labels */
function promptPart({ prompts: [a, b] }, labels) {
  if (a.text !== null && a.text === b.text) return el("details", {}, el("summary", {}, "The same prompt"), textBlock(a.text));
  if (a.text !== null && b.text !== null) return el("div", {}, el("h5", {}, "Prompts"), sideBySide(a.text, b.text, labels.map((label) => el("h5", {}, label))));
  const told = a.sha256 && b.sha256 ? (a.sha256 === b.sha256 ? "The same prompt, by its hash; " : "Another prompt, by its hash; ") : "";
  return el("p", { class: "quiet" }, `${told}the runs have not kept both texts.`);
}

/** @param {Pairing} pairing @param {Scale} scale @param {string} id @param {PairRecord | null} record */
function caseArticle(pairing, scale, id, record) {
  const head = el("h4", {}, el("bdi", {}, plain(id, 120)));
  if (!record) return el("article", { class: "flip" }, head,
    el("p", { class: "quiet" }, "This page was cut to a size that browsers open: the texts are in results.jsonl."));
  const target = typeof record.target === "string" ? record.target : JSON.stringify(record.target);
  const labels = labelsOf(pairing);
  return el("article", { class: "flip", "data-sample": id }, head, promptPart(record, labels),
    el("p", {}, el("span", { class: "quiet" }, "Gold answer "), el("bdi", {}, shown(cut(target ?? NONE, 400)))),
    answersBeside(record.sides[0], record.sides[1], labels, scale));
}

/** @param {ComparisonData} found @param {number} number @param {Records<PairRecord>} records @param {Promise<unknown>[]} drawn */
function pairingSection(found, number, records, drawn) {
  const pairing = found.pairings[number];
  const kinds = KIND_NAMES.map((kind) => {
    const { total, cases } = found.cases[number][kind];
    if (!total) return null;
    const list = growingList(cases, total, async ([id, place]) => caseArticle(pairing, found.scales[number], id, await records.get(place)));
    const opened = openingList({ class: kind, "data-kind": kind, open: kind !== "changed" }, el("h3", {}, `${CASE_KINDS[kind]}: ${count(total)}`), list);
    if (opened.drawn) drawn.push(opened.drawn);
    return opened.part;
  });
  const unpaired = Object.entries(pairing.unpaired).map(([reason, names]) => el("li", {}, `${count(names.length)} not compared, ${words(reason)}: `,
    el("bdi", {}, names.slice(0, 20).map((name) => plain(name, 60)).join(", ") + (names.length > 20 ? " …" : ""))));
  return el("section", { "data-task": `${pairing.benchmark}/${pairing.task}` },
    el("h2", {}, el("bdi", {}, plain(`${pairing.benchmark}/${pairing.task}`, 60)), " ", el("bdi", {}, plain(modelsOf(pairing), 100))),
    pairing.data_differs ? el("p", { class: "outcome worse" }, "The data files differ.") : null,
    el("p", { class: "quiet" }, `${count(pairing.paired)} samples measured on both sides; `
      + `a case is worse or better by its strict ${words(found.headlines[number])}.`),
    kinds, kinds.some(Boolean) ? null : el("p", {}, "Every answer is the same."), unpaired.length ? el("ul", { class: "plain" }, unpaired) : null);
}

/** @param {ComparisonData} found */
function header({ runs: [a, b] }) {
  const told = (/** @type {RunFields} */ one) =>
    [el("bdi", {}, plain(one.id, 60)), ` ${moment(one.started)}`, one.git_commit ? ` ${plain(one.git_commit.slice(0, 8))}` : ""];
  drawHeader("Proctor comparison", a.id === b.id ? told(a) : ["a: ", told(a), " · b: ", told(b)], [
    el("nav", { "aria-label": "Sections" }, sectionLink("flipped", "Flipped cases"), sectionLink("differences", "Differences"))]);
}

startPage("proctor compare prints the same figures.", async () => {
  /** @type {ComparisonData} */
  const found = await pageData();
  document.title = `${found.runs.map((one) => one.id).join(" and ")} – Proctor comparison`;
  header(found);
  const records = /** @type {Records<PairRecord>} */ (new Records("cases", found.starts));
  /** @type {Promise<unknown>[]} */
  const drawn = [];
  const numbers = found.pairings.map((_, number) => number);
  const section = (/** @type {number} */ number) => pairingSection(found, number, records, drawn);
  const flips = (/** @type {number} */ number) => found.cases[number].worse.total + found.cases[number].better.total > 0;
  byId("main").replaceChildren(verdictLine(found), ...numbers.filter(flips).map(section), differences(found),
    ...numbers.filter((number) => !flips(number)).map(section));
  await Promise.all(drawn);
});
