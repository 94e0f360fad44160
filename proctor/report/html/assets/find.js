/* Finding cases: by their fields, by whether models disagree about them, and by their text. */

import { count, isNumber } from "./numbers.js";
import { run } from "./run.js";
import { plain } from "./text.js";
import { VERDICTS } from "./verdicts.js";
import { view } from "./view.js";

export const AGREEMENTS = {
  disagree: "models disagree",
  none: "no model correct",
  all: "all models correct",
};

/** @type {Record<string, (one: Case) => number | null>} */
const SORTS = {
  task: (one) => run.tasks.indexOf(one.set.task),
  sample: (one) => one.set.samples[one.place],
  model: (one) => run.models.indexOf(one.set.model),
  status: (one) => one.set.status[one.place],
  verdict: (one) => VERDICTS.indexOf(run.verdict(one)),
  strict: (one) => run.score(one, "strict"),
  official: (one) => run.score(one, "official"),
  input_tokens: (one) => one.set.input_tokens[one.place],
  output_tokens: (one) => one.set.output_tokens[one.place],
  cost: (one) => one.set.cost_usd[one.place],
  latency: (one) => one.set.latency_s[one.place],
};

/** How the models did on each sample: for each task a list of sets of verdicts. */
function verdictsBySample() {
  /** @type {Map<string, Set<Verdict>[]>} */
  const found = new Map(run.tasks.map((task) => [task, run.samplesOf(task).ids.map(() => new Set())]));
  for (const one of run.cases) {
    const verdict = run.verdict(one);
    if (verdict !== "not measured") found.get(one.set.task)?.[one.set.samples[one.place]].add(verdict);
  }
  return found;
}

/** @param {Case} one */
function agreement(one) {
  view.verdicts ??= verdictsBySample();
  const verdicts = view.verdicts.get(one.set.task)?.[one.set.samples[one.place]] ?? new Set();
  if (verdicts.size > 1) return verdicts.has("correct") ? "disagree" : "disagree none";
  return verdicts.has("correct") ? "all" : "none";
}

/** The cases that pass the filters, sorted. Filters by text unpack all blocks, the first time. @param {Filters} filters */
export async function findCases(filters) {
  const [tagName, ...tagValue] = filters.tag.split("=");
  const wanted = filters.q ? await search(filters.q.toLowerCase()) : null;
  const found = run.cases.filter((one) => (!filters.task || one.set.task === filters.task)
    && (!filters.model || one.set.model === filters.model)
    && (!filters.status || run.status(one) === filters.status)
    && (!filters.verdict || run.verdict(one) === filters.verdict)
    && (!filters.tag || run.tag(one, tagName) === tagValue.join("="))
    && (!filters.agreement || agreement(one).split(" ").includes(filters.agreement))
    && (!wanted || wanted(one)));
  return sorted(found, filters.sort);
}

/** How two values are sorted: upwards or downwards, unknown ones last. @param {unknown} a @param {unknown} b @param {boolean} down */
export function order(a, b, down) {
  if (isNumber(a) && isNumber(b)) return down ? b - a : a - b;
  return (isNumber(a) ? 0 : 1) - (isNumber(b) ? 0 : 1);
}

/** @param {Case[]} cases @param {string} sort */
function sorted(cases, sort) {
  const down = sort.startsWith("-");
  const key = SORTS[down ? sort.slice(1) : sort];
  if (!key) return cases;
  return cases.map((one) => ({ key: key(one), one })).sort((a, b) => order(a.key, b.key, down)).map(({ one }) => one);
}

/** All texts in a value. @param {unknown} value @returns {string} */
function strings(value) {
  if (typeof value === "string") return value;
  return value && typeof value === "object" ? Object.values(value).map(strings).join(" ") : "";
}

/** What is searched of an answer, in lower case. @param {AnswerRecord} record */
function answerHaystack(record) {
  return strings([record.response_text, record.prediction, record.error, record.evidence, (record.calls || []).map((call) => call.reply)]).toLowerCase();
}

/** What is searched of a sample. @param {SampleRecord} record */
function sampleHaystack(record) {
  const pieces = [record.prompt ?? ""].flat().map((piece) => (typeof piece === "string" ? piece : piece.name));
  return strings([record.target, pieces]).toLowerCase();
}

/** How many of a set's cases have a result whose text is not in the page. @param {CaseSet} set */
function cutOf(set) {
  return set.answers.filter((number, place) => number === null && !["missing", "not_needed"].includes(run.statuses[set.status[place]])).length;
}

/** What a search cannot find, in words; nothing where the page has all texts. */
export function cutNote() {
  const cut = run.sets.map((set) => ({ set, size: cutOf(set) })).filter(({ size }) => size);
  const prompts = [...run.samples.values()].reduce((sum, of) => sum + of.texts.filter((number) => number === null).length, 0);
  if (!cut.length && !prompts) return null;
  const parts = cut.map(({ set, size }) => `${plain(set.task)} ${plain(set.model)}: ${count(size)} of ${count(set.answers.length)} answers`);
  if (prompts) parts.push(`${count(prompts)} prompts and gold answers`);
  return `This page was cut to a size that browsers open; not in it, and not searched, are ${parts.join("; ")}. All are in results.jsonl and prompts.jsonl.`;
}

/** @type {{answers: string[][], texts: string[][]}} */
const haystacks = { answers: [], texts: [] };

/** The numbers of the records whose text holds what is searched; each block is unpacked and made lower case once.
 * @template Kind
 * @param {import("./blocks.js").Records<Kind>} records
 * @param {string[][]} known What was made of each block before.
 * @param {(record: Kind) => string} haystack
 * @param {string} query
 */
async function holding(records, known, haystack, query) {
  /** @type {Set<number | null>} */
  const numbers = new Set();
  for (const [block, start] of records.starts.entries()) {
    known[block] ??= (await records.block(block)).map(haystack);
    known[block].forEach((text, place) => { if (text.includes(query)) numbers.add(start + place); });
  }
  return numbers;
}

/** Whether a case's text holds what is searched, as a function of the case. @param {string} query */
async function search(query) {
  const answers = await holding(run.answers, haystacks.answers, answerHaystack, query);
  const texts = await holding(run.texts, haystacks.texts, sampleHaystack, query);
  return (/** @type {Case} */ one) => answers.has(one.set.answers[one.place])
    || texts.has(run.samplesOf(one.set.task).texts[one.set.samples[one.place]])
    || run.sampleId(one).toLowerCase().includes(query);
}
