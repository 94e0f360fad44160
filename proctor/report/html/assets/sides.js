/* What two sides made of a sample: their answers beside one another. */

import { sideBySide } from "./diff.js";
import { el } from "./elements.js";
import { NONE, score } from "./numbers.js";
import { cut, plain, shown, words } from "./text.js";
import { verdictBadge, verdictOf } from "./verdicts.js";

/** What a side made of a sample in one epoch, without the text. @param {SideAnswer | undefined} answer @param {Scale} scale */
function answerLine(answer, scale) {
  if (!answer) return el("p", { class: "quiet" }, "No row.");
  const { prediction, status } = answer;
  const read = prediction === null || prediction === undefined ? NONE : typeof prediction === "string" ? prediction : JSON.stringify(prediction);
  return el("p", {}, verdictBadge(verdictOf(status, answer.score, scale)), status === "scored" ? "" : ` (${words(status)})`,
    ` ${score(answer.score, { scale })}, read as `, el("bdi", {}, shown(cut(read, 200))),
    answer.error ? el("span", { class: "quiet" }, ` ${plain(answer.error, 300)}`) : null);
}

/** The answers of two sides to a sample, epoch by epoch.
 * @param {SideAnswer[]} before
 * @param {SideAnswer[]} after
 * @param {string[]} labels
 * @param {Scale} scale
 */
export function answersBeside(before, after, labels, scale) {
  const epochs = [...new Set([...before, ...after].map((answer) => answer.epoch))].toSorted((a, b) => a - b);
  return epochs.map((epoch) => {
    const [a, b] = [before, after].map((answers) => answers.find((answer) => answer.epoch === epoch));
    const heads = [a, b].map((answer, side) => [el("h5", {}, labels[side]), answerLine(answer, scale)]);
    return el("div", { class: "pair" }, epochs.length > 1 ? el("h5", {}, `Epoch ${epoch}`) : null, sideBySide(a?.response_text, b?.response_text, heads));
  });
}
