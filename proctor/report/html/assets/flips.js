/* Cases that flipped against the baseline: what was answered then, and what is now. */

import { caseAddress, taskLink } from "./addresses.js";
import { sideBySide } from "./diff.js";
import { el } from "./elements.js";
import { growingList, openingList } from "./growing.js";
import { modelName } from "./models.js";
import { count } from "./numbers.js";
import { run } from "./run.js";
import { answersBeside } from "./sides.js";
import { plain } from "./text.js";

/** Cases that flipped, for worse and for better, with both answers; null where the run has no baseline. @param {GateFields} gate */
export function flipSections(gate) {
  return gate.against_baseline.map((entry, number) => {
    const task = `${entry.benchmark}/${entry.task}`;
    const kinds = [{ word: "Worse", ids: entry.lost }, { word: "Better", ids: entry.won }].filter(({ ids }) => ids.length);
    return kinds.length ? el("section", { class: "flips", "data-task": task, "data-model": entry.b.model },
      el("h3", {}, "Flipped: ", taskLink(task), " ", modelName(entry.b.model)),
      kinds.map(({ word, ids }) => flipList(`${word} than before: ${count(ids.length)}`, ids, entry, number))) : null;
  });
}

/** @param {string} label @param {string[]} ids @param {AgainstFields} entry @param {number} number */
function flipList(label, ids, entry, number) {
  return openingList({}, label, growingList(ids, ids.length, (id) => flipArticle(id, entry, number))).part;
}

/** @param {string} id @param {AgainstFields} entry @param {number} number */
async function flipArticle(id, entry, number) {
  const task = `${entry.benchmark}/${entry.task}`, model = entry.b.model;
  const ones = run.cases.filter((one) => one.set.task === task && one.set.model === model && run.sampleId(one) === id);
  const now = await Promise.all(ones.map(async (one) => {
    const answer = await run.answer(one);
    return { epoch: run.epoch(one), status: run.status(one), score: run.score(one, "strict"), prediction: answer?.prediction ?? null,
      response_text: answer?.response_text ?? null, error: answer?.error ?? null };
  }));
  const former = await run.formerAnswer(number, id);
  const sample = ones.length ? await run.sampleText(ones[0]) : null;
  const labels = ["Before", "Now"];
  return el("article", { class: "flip", "data-sample": id }, el("h4", {}, el("a", { href: caseAddress(task, id, model) }, plain(id, 80))),
    former ? flipPrompt(former.prompt, sample) : null,
    former ? answersBeside(former.answers, now, labels, ones[0].set.scale)
      : el("p", { class: "quiet" }, "The former answer is not in this page: the baseline's rows were not at hand, or there was no room."));
}

/** The prompt's difference, where both are known. @param {KnownPrompt} before @param {SampleRecord | null} sample */
function flipPrompt(before, sample) {
  const same = el("p", { class: "quiet" }, "The prompt is the same.");
  if (typeof before.text === "string" && typeof sample?.prompt === "string") {
    return before.text === sample.prompt ? same : el("div", {}, el("h5", {}, "Prompt"),
      sideBySide(before.text, sample.prompt, [el("h5", {}, "Before"), el("h5", {}, "Now")]));
  }
  if (!before.sha256 || !sample?.prompt_sha256) return null;
  return before.sha256 === sample.prompt_sha256 ? same : el("p", { class: "quiet" }, "The prompt is another one.");
}
