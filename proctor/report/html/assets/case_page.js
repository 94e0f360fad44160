/* One case: a sample, and what each model made of it. */

import { caseHash, listHash, taskLink } from "./addresses.js";
import { commandLine } from "./command.js";
import { el } from "./elements.js";
import { foldable } from "./folding.js";
import { graphPairs } from "./graphs.js";
import { judgingSection } from "./judging.js";
import { mediumFigure, promptSize } from "./media.js";
import { modelName } from "./models.js";
import { count, dollars, isNumber, moment, NONE, scaleInWords, score, seconds } from "./numbers.js";
import { FAMILY_NAMES } from "./page.js";
import { run } from "./run.js";
import { scaleOf } from "./sets.js";
import { definitions, headLine } from "./tables.js";
import { inUnits, plain, words } from "./text.js";
import { textBlock, tree } from "./text_blocks.js";
import { isGraphs, tripletCounts } from "./triplets.js";
import { quoted, valueBlock } from "./values.js";
import { verdictBadge } from "./verdicts.js";
import { view } from "./view.js";

/** @type {Record<string, string>} */
const REASONS = {
  scored: "The answer follows the required format and was scored.",
  unparsed: "The answer does not follow the required format: the strict score is the worst value.",
  refused: "The model, or a filter, declined to answer: the strict score is the worst value.",
  tool_call: "The model called a tool instead of answering: the strict score is the worst value.",
  truncated: "The answer was cut at the token limit: the strict score is the worst value.",
  judge_failed: "What the score depends on could not be found out; this says nothing about the model.",
  error: "The model gave no usable answer; this says nothing about it.",
  missing: "The case was selected and never finished.",
  not_needed: "The case was not asked: what the run was to decide was decided without it.",
};
const CUT = "This page was cut to a size that browsers open: the texts of this case are in results.jsonl.";

/** @param {string[]} parts */
export async function casePage(parts) {
  const [task, id, model, epoch] = parts;
  const one = run.cases.find((other) => other.set.task === task && other.set.model === model
    && run.sampleId(other) === id && String(run.epoch(other)) === (epoch || "1"));
  if (!one) {
    const name = el("code", {}, plain(parts.join(" / "), 200));
    return [el("h2", {}, "No such case"), el("p", {}, "This report has no case ", name, ".")];
  }
  view.shownCase = one;
  const sample = await run.sampleText(one);
  const cases = run.besides(one);
  const cards = await Promise.all(cases.map(async (other) => answerCard(other, await run.answer(other), sample, other === one)));
  const others = cards.filter((_, place) => cases[place] !== one);
  return [
    el("div", { class: "case-head" }, el("h2", {}, el("bdi", {}, plain(id, 120))), neighbours(one)),
    el("p", { class: "tags" }, taskLink(task), run.tags(one).map(({ name, value }) => el("a",
      { class: "tag", href: listHash({ task, tag: `${name}=${value}` }) }, `${words(name)}: `, el("bdi", {}, plain(value, 60))))),
    commandLine(one),
    el("h3", { class: "unseen" }, "This answer"),
    el("div", { class: "case-first" }, cards[cases.indexOf(one)], questionSection(one, sample)),
    others.length ? el("section", { "aria-label": "Other answers" }, el("h3", {}, others.length > 1 ? `${others.length} other answers` : "The other answer"),
      el("div", { class: "answers" }, others)) : null,
  ];
}

/** The cases before and after this one in the list it was opened from. @param {Case} one */
function neighbours(one) {
  const list = view.found?.includes(one) ? view.found : run.cases;
  const place = list.indexOf(one);
  const link = (/** @type {Case | undefined} */ other, /** @type {string} */ text, /** @type {string} */ key) => other
    ? el("a", { href: caseHash(other), "data-key": key }, text) : el("span", { class: "quiet" }, text);
  return el("nav", { "aria-label": "Cases", class: "neighbours" }, link(list[place - 1], "← Previous", "ArrowLeft"),
    el("span", { class: "quiet" }, `${count(place + 1)} of ${count(list.length)}`), link(list[place + 1], "Next →", "ArrowRight"),
    el("a", { href: listHash(view.filters), "data-key": "Escape" }, "All cases"));
}

/** @param {Case} one @param {SampleRecord | null} sample */
function questionSection(one, sample) {
  if (!sample) {
    return el("p", { class: "quiet" }, ["missing", "not_needed"].includes(run.status(one)) ? "The case has no result." : CUT);
  }
  const prompt = sample.prompt === undefined
    ? el("p", { class: "quiet" }, "The prompt is not in this page: rows hold only its hash, and data, templates or code were not ",
      "at hand, or have changed.",
      el("span", { class: "hash" }, ` SHA-256 ${plain(sample.prompt_sha256 || NONE)}`))
    : [el("h4", {}, `Prompt, ${promptSize(sample.prompt)}`), foldable(sample.prompt)];
  return el("section", { "aria-label": "Question", class: "question" },
    el("h4", {}, "Gold answer"), valueBlock(sample.target), prompt);
}

/** @param {Case} one @param {AnswerRecord | null} answer @param {SampleRecord | null} sample @param {boolean} chosen */
function answerCard(one, answer, sample, chosen) {
  const epoch = run.epoch(one) > 1 || one.set.epochs ? `, epoch ${run.epoch(one)}` : "";
  const gold = sample?.target;
  const predicted = answer?.prediction;
  const isEmpty = !predicted || (Array.isArray(predicted) && predicted.length === 0);
  const graphs = isGraphs(gold) && (isEmpty || isGraphs(predicted)) ? { gold, predicted: isGraphs(predicted) ? predicted : [] } : null;
  return el("article", { class: chosen ? "answer chosen" : "answer", "aria-current": chosen ? "true" : null, "data-model": one.set.model },
    el("h4", {}, modelName(one.set.model), epoch, " ", verdictBadge(run.verdict(one))),
    el("p", { class: "reason" }, el("strong", {}, words(run.status(one))), ". ", REASONS[run.status(one)] || "", " ",
      comparedWith(gold, answer, one), answer?.error ? textBlock(answer.error) : null),
    answer?.reasoning_text ? el("details", {}, el("summary", {}, "Reasoning, before the response"), textBlock(answer.reasoning_text)) : null,
    el("h5", {}, "Response"), responseBlock(one, answer), (answer?.media || []).map(mediumFigure),
    graphs ? null : [el("h5", {}, "Read as"), valueBlock(predicted)],
    el("h5", {}, "Scores"), scoresOf(one, answer),
    graphs ? [el("h5", {}, "Gold and predicted graph"), graphPairs(graphs.gold, graphs.predicted)] : null,
    judgingSection(answer, gold), diagnosticsOf(answer), el("h5", {}, "Measured"), factsOf(one, answer));
}

/** In words, what the strict family compared. @param {unknown} gold @param {AnswerRecord | null} answer @param {Case} one */
function comparedWith(gold, answer, one) {
  const found = answer?.prediction;
  const parts = [];
  if (isGraphs(gold) && isGraphs(found)) {
    const { matched, missing, wrong } = tripletCounts(gold, found);
    parts.push(`Graph by graph, ${matched} of ${matched + missing} gold triplets are matched, and ${wrong} predicted ones are wrong.`);
  } else if (typeof gold === "string" && typeof found === "string" && run.status(one) === "scored") {
    const right = run.verdict(one) === "correct";
    parts.push(quoted(found), right ? " was read, and is right." : [" was read, and the gold answer is ", quoted(gold), "."]);
  }
  const [strict, official] = FAMILY_NAMES.map((family) => run.score(one, family));
  if (isNumber(official) && strict !== official) parts.push(" The published grader’s rules give another score than the strict ones.");
  return parts;
}

/** @param {Case} one @param {AnswerRecord | null} answer */
function responseBlock(one, answer) {
  if (typeof answer?.response_text !== "string") {
    const cut = one.set.answers[one.place] === null && run.status(one) !== "missing";
    return el("p", { class: "quiet" }, cut ? CUT : "There is none.");
  }
  const text = answer.response_text;
  if (text === "") return el("p", { class: "quiet" }, "An empty answer.");
  return textBlock(text, inUnits(text, answer.spans || []));
}

/** Whether a metric is one of a case's: the strict family has a value for each of these, whatever became of the case.
 * @param {Case} one
 * @param {string} metric
 */
function isMeasuredBy(one, metric) { return FAMILY_NAMES.some((family) => isNumber(run.score(one, family, metric))); }

/** @param {Case} one @param {AnswerRecord | null} answer */
function scoresOf(one, answer) {
  if (run.verdict(one) === "not measured") return el("p", { class: "quiet" }, "Not measured.");
  const pairs = answer?.scores?.official?.pairs;
  return [el("div", { class: "scroll" }, el("table", { class: "case-scores" },
    headLine(["metric", "strict", "official", "scale"], [1, 2]),
    el("tbody", {}, one.set.metrics.filter((name) => isMeasuredBy(one, name)).map((name) => el("tr", {}, el("th", { scope: "row" }, words(name)),
      FAMILY_NAMES.map((family) => el("td", { class: "number" }, score(run.score(one, family, name), { scale: scaleOf(one.set, name) }))),
      el("td", { class: "quiet" }, scaleInWords(scaleOf(one.set, name)))))))),
  pairs && pairs.length > 1 ? el("p", { class: "quiet" }, `Official ${words(one.set.metrics[0])} of each pair: `,
    pairs.slice(0, 40).map((pair) => score(pair[one.set.metrics[0]])).join(", "), pairs.length > 40 ? " …" : "") : null];
}

/** @param {AnswerRecord | null} answer */
function diagnosticsOf(answer) {
  const known = Object.entries(answer?.diagnostics || {}).filter(([, value]) => value !== null);
  return known.length ? el("details", {}, el("summary", {}, `Diagnostics (${known.length})`),
    definitions(Object.fromEntries(known.map(([name, value]) => [words(name), score(value)])))) : null;
}

/** @param {Case} one @param {AnswerRecord | null} answer */
function factsOf(one, answer) {
  const calls = answer?.calls || [];
  const cost = one.set.cost_usd[one.place];
  return [definitions({
    "Tokens in": count(one.set.input_tokens[one.place]), "Tokens out": count(one.set.output_tokens[one.place]),
    Reasoning: isNumber(answer?.usage?.reasoning_tokens) ? count(answer.usage.reasoning_tokens) : null,
    Cost: dollars(cost) + (cost && ["replayed", "responses"].includes(answer?.source ?? "") ? " then" : ""), Latency: seconds(one.set.latency_s[one.place]),
    Recorded: moment(answer?.recorded_at), Source: plain(answer?.source || NONE), Attempts: count(answer?.attempts),
    Ended: plain(answer?.finish_reason || NONE),
    "Answered by": plain(answer?.answered_by?.map((by) => [by.model, by.provider, by.fingerprint].filter(Boolean).join(", ")).join("; ") || "") || null,
    "Official read": answer?.seen_text ? "the reasoning too, which stands in the text that the server sent" : null,
    "Other prompt": answer?.other_prompt ? "this model was asked with another prompt than the one above" : null,
    "Asked with": answer?.source === "responses" ? "not known: the response was made elsewhere" : null,
  }), calls.length > 1 ? el("details", {}, el("summary", {}, `${calls.length} calls`), tree(calls.map(withoutTexts))) : null];
}

/** A call without what was asked and said, which stands under what judging found. @param {Call} call */
function withoutTexts(call) {
  return Object.fromEntries(Object.entries(call).filter(([name]) => name !== "prompt" && name !== "reply"));
}
