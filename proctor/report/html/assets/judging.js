/* What judges said of an answer, and what programs gave out: criteria, reasons, votes, differences. */

import { diffTable } from "./diff.js";
import { el } from "./elements.js";
import { foldable } from "./folding.js";
import { promptSize } from "./media.js";
import { NONE } from "./numbers.js";
import { headLine } from "./tables.js";
import { plain, shown, words } from "./text.js";
import { textBlock, tree } from "./text_blocks.js";
import { isFlat, isRecord } from "./values.js";

/** Whether a value is a list of records without anything inside: criteria, each with a judgment and a reason.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>[]}
 */
function isRecords(value) { return Array.isArray(value) && value.length > 0 && value.every(isFlat); }

/** Whether a value holds, by judge and by criterion, what was voted. @param {unknown} value @returns {value is Votes} */
function isVotes(value) {
  const rows = isRecord(value) ? Object.values(value) : [];
  return rows.length > 0 && rows.every((row) => isRecord(row) && isRecords(Object.values(row)));
}

/** @param {unknown} value @returns {value is ProgramTest[]} */
function isProgramTests(value) {
  return Array.isArray(value) && value.length > 0 && value.every((test) => isRecord(test) && typeof test.stdout === "string");
}

/** @param {Call} call @returns {call is JudgeCall} */
function isSaid(call) { return typeof call.reply === "string"; }

/** What judging found, and what each judge was asked and said; nothing where nobody judged.
 * @param {AnswerRecord | null} answer
 * @param {unknown} target
 */
export function judgingSection(answer, target) {
  const calls = (answer?.calls || []).filter(isSaid);
  const evidence = answer?.evidence;
  if (!calls.length && (evidence === null || evidence === undefined)) return null;
  const said = new Set(calls.map((call) => call.reply));
  return el("div", { class: "judging" }, el("h5", {}, "What judging found"),
    evidenceBlocks(evidence, target, said), calls.length ? el("div", { class: "calls" }, calls.map((call) => callBlock(call, calls, answer))) : null);
}

/** @param {unknown} evidence @param {unknown} target @param {Set<string>} said */
function evidenceBlocks(evidence, target, said) {
  if (evidence === null || evidence === undefined) return null;
  if (!isRecord(evidence)) return tree(evidence);
  /** @type {Child[]} */
  const blocks = [];
  /** @type {Record<string, unknown>} */
  const rest = {};
  for (const [name, value] of Object.entries(evidence)) {
    if (isProgramTests(value)) blocks.push(programTests(value, target));
    else if (isVotes(value)) blocks.push(voteTable(words(name), value));
    else if (isRecords(value)) blocks.push(recordTable(words(name), value));
    else if (!(typeof value === "string" && said.has(value))) rest[name] = value; // else it stands below, as the judge said it
  }
  return [blocks, Object.keys(rest).length ? tree(rest) : null];
}

/** @param {string} title @param {Record<string, unknown>[]} records */
function recordTable(title, records) {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return el("div", { class: "scroll" }, el("table", { class: "records" }, el("caption", {}, title), headLine(names.map(words), names.length),
    el("tbody", {}, records.map((record) => el("tr", {}, names.map((name) => el("td", {}, shown(String(record[name] ?? NONE)))))))));
}

/** Judges by criteria: in each cell the vote, and the reason below it.
 * @param {string} title
 * @param {Votes} votes
 */
function voteTable(title, votes) {
  const criteria = [...new Set(Object.values(votes).flatMap((row) => Object.keys(row)))];
  const cell = (/** @type {Record<string, unknown> | undefined} */ vote) => {
    if (!vote) return el("td", {}, NONE);
    const [[, first] = ["", NONE], ...rest] = Object.entries(vote);
    return el("td", {}, el("strong", {}, shown(String(first))), rest.map(([, text]) => el("div", { class: "quiet" }, shown(String(text ?? NONE)))));
  };
  return el("div", { class: "scroll" }, el("table", { class: "records votes" }, el("caption", {}, title),
    headLine(["judge", ...criteria.map(words)], criteria.length + 1),
    el("tbody", {}, Object.entries(votes).map(([judge, row]) => el("tr", {}, el("th", { scope: "row" }, words(judge)),
      criteria.map((name) => cell(row[name])))))));
}

/** What a program gave out in each of its tests, beside what was expected. @param {ProgramTest[]} tests @param {unknown} target */
function programTests(tests, target) {
  return tests.map((test, number) => {
    const expected = Array.isArray(target) ? target[number] : target;
    const told = [["judgment", test.judgment], ["reason", test.reason], ["stopped", test.stopped], ["exit code", test.exit_code]]
      .filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== 0);
    return el("div", { class: "program-test" },
      el("h5", {}, `Test ${number + 1} `, told.map(([name, value], place) => [place ? "; " : ": ", `${name} `, el("bdi", {}, shown(String(value)))])),
      typeof expected === "string" ? diffTable(expected, test.stdout, "expected output", "actual output") : textBlock(test.stdout),
      test.stderr ? [el("h5", {}, "Errors"), textBlock(test.stderr)] : null);
  });
}

/** One question to a judge: by whom it was answered, what was said, and what was asked.
 * @param {JudgeCall} call
 * @param {JudgeCall[]} calls
 * @param {AnswerRecord | null} answer
 */
function callBlock(call, calls, answer) {
  const role = call.role.split("/")[0];
  const model = answer?.judging?.[role]?.model;
  const asked = call.prompt ?? calls.find((other) => other.key === call.key && other.prompt)?.prompt;
  const first = calls.find((other) => other.key === call.key) === call;
  return el("div", { class: "call" },
    el("h5", {}, words(call.role), call.turn ? `, turn ${call.turn + 1}` : "", model ? [": ", el("bdi", {}, plain(model, 60))] : null),
    el("p", { class: "quiet" }, "said"), textBlock(call.reply),
    asked === undefined ? null : first ? [el("p", { class: "quiet" }, `was asked, ${promptSize(asked)}`), foldable(asked)]
      : el("p", { class: "quiet" }, "was asked the same as above"));
}
