/* A run that goes on: how far each task is, what it scores so far, and the newest answers. */

import { axisOf } from "./axes.js";
import { spark } from "./charts.js";
import { announce, byId, el, nodes, unseen } from "./elements.js";
import { modelName, setModels } from "./models.js";
import { count, dollars, interval, isNumber, moment, NONE, score, seconds } from "./numbers.js";
import { drawHeader, familyChoice, startPage } from "./page.js";
import { headLine } from "./tables.js";
import { plain, words } from "./text.js";
import { textBlock } from "./text_blocks.js";
import { verdictBadge, verdictOf } from "./verdicts.js";

const EVERY = 1000; // milliseconds between two looks
/** @type {{family: Family, state: RunState | null}} */
const shownNow = { family: "strict", state: null };

async function look() {
  try {
    const response = await fetch("state.json");
    if (!response.ok) throw new Error(await response.text());
    show(await response.json());
  } catch (problem) {
    byId("told").textContent = problem instanceof TypeError ? "The server does not answer: proctor view has ended."
      : plain(problem instanceof Error ? problem.message : problem, 400);
  }
  if (!shownNow.state?.ended || shownNow.state.behind) setTimeout(look, shownNow.state?.behind ? 0 : EVERY);
}

/** @param {RunState} state */
function show(state) {
  const before = shownNow.state;
  const isNew = (/** @type {keyof RunState} */ part) => JSON.stringify(state[part]) !== JSON.stringify(before?.[part]);
  shownNow.state = state;
  document.title = `${state.done} of ${state.total} – Proctor run`;
  byId("facts").textContent = [plain(state.run.id), moment(state.run.started)].join(" · ");
  byId("command").textContent = plain(state.run.command || "", 300);
  byId("told").replaceChildren(...nodes(told(state)));
  if (isNew("tasks")) drawTasks(state.tasks);
  if (isNew("newest")) byId("newest").replaceChildren(...state.newest.map(answerItem));
  if (state.ended && !before?.ended) announce("The run has ended.");
}

/** @param {RunState} state */
function told(state) {
  const known = [`${count(state.done)} of ${count(state.total)} cases done`,
    state.not_measured ? `${count(state.not_measured)} not measured` : "",
    isNumber(state.in_flight) && !state.ended ? `${count(state.in_flight)} ${state.in_flight === 1 ? "request" : "requests"} in flight` : "",
    state.waiting && !state.ended ? `${count(state.waiting)} wait to be sent` : "",
    ...Object.entries(state.given_up).map(([model, why]) => `${plain(model, 60)} is asked no more: ${plain(why, 200)}`),
    state.retries ? `${count(state.retries)} sent again` : "",
    `${state.unpriced ? "more than " : ""}${dollars(state.spent)} spent`,
    state.behind ? `${count(state.behind / 1e6)} MB of rows are still to be read` : "",
    state.unread ? `${count(state.unread)} lines of results.jsonl cannot be read` : ""].filter(Boolean).join(" · ");
  return [el("span", { class: "known" }, known),
    state.ended ? [" · ", el("a", { href: "report.html" }, "The run has ended: its report")] : null,
    !state.ended && isNumber(state.silent_s) ? ` · No sign of life for ${count(state.silent_s)} s: it waits, or was cut short.` : null];
}

/** @param {RunningTask[]} tasks */
function drawTasks(tasks) {
  setModels([...new Set(tasks.map((task) => task.model))]);
  /** @param {RunningTask} task @returns {Estimate} */
  const estimateOf = (task) => task.scores[shownNow.family] || { value: null };
  const alike = (/** @type {RunningTask} */ task) => JSON.stringify([task.metric, task.scale]);
  const axisFor = new Map([...Map.groupBy(tasks, alike)].map(([name, group]) =>
    [name, axisOf(group.flatMap((task) => [...task.scale, estimateOf(task).value, ...(estimateOf(task).ci95 || [])]))]));
  byId("tasks").replaceChildren(el("table", { class: "scores live" },
    headLine(["Task", "Model", "Done", unseen("Progress"), "Metric", "Score so far", "95 % interval", unseen("Drawn"), "Not scored"], [2, 5]),
    el("tbody", {}, tasks.map((task) => {
      const { scale } = task, estimate = estimateOf(task), axis = axisFor.get(alike(task));
      const others = Object.entries(task.statuses).filter(([status]) => status !== "scored").map(([status, size]) => `${count(size)} ${words(status)}`);
      return el("tr", { "data-task": task.task, "data-model": task.model },
        el("th", { scope: "row" }, el("bdi", {}, plain(task.task, 60))), el("td", {}, modelName(task.model)),
        el("td", { class: "number done" }, `${count(task.done)} of ${count(task.total)}`),
        el("td", {}, el("progress", { max: Math.max(1, task.total), value: task.done,
          "aria-label": `${plain(task.task, 60)}, ${plain(task.model, 60)}: cases done` })),
        el("td", {}, words(task.metric)), el("td", { class: "number strong" }, score(estimate.value, { scale })),
        el("td", { class: "interval" }, interval(estimate.ci95, { scale })),
        el("td", {}, axis ? spark(task.model, estimate, axis) : null),
        el("td", { class: "quiet" }, others.join(", ") || NONE));
    }))));
}

/** @param {NewAnswer} answer */
function answerItem(answer) {
  const verdict = verdictOf(answer.status, answer.score, answer.scale);
  return el("li", {}, el("p", {}, el("bdi", { class: "strong" }, plain(answer.sample_id, 80)), answer.epoch > 1 ? `, epoch ${answer.epoch}` : "", " ",
    el("span", { class: "quiet" }, `${plain(answer.task, 60)}, ${plain(answer.model, 60)} `),
    verdictBadge(verdict), answer.status === "scored" ? "" : ` (${words(answer.status)})`,
    el("span", { class: "quiet" }, verdict === "not measured" ? "" : ` ${score(answer.score, { scale: answer.scale })}`,
      isNumber(answer.latency_s) ? `, ${seconds(answer.latency_s)}` : "")),
  answer.answer === null ? el("p", { class: "quiet" }, plain(answer.error || "no answer", 300)) : textBlock(answer.answer + (answer.cut ? "…" : "")));
}

startPage("The files of the run's folder say how it is doing.", async () => {
  drawHeader("Proctor run", "", [
    el("nav", { "aria-label": "Pages" }, el("a", { href: "../" }, "All runs")),
    familyChoice(shownNow.family, (family) => {
      shownNow.family = family;
      if (shownNow.state) drawTasks(shownNow.state.tasks);
    })]);
  byId("main").replaceChildren(
    el("p", { id: "told" }, "Looking …"), el("p", {}, el("code", { id: "command" })),
    el("section", { "aria-labelledby": "so-far" }, el("h2", { id: "so-far" }, "So far"), el("div", { class: "scroll", id: "tasks" })),
    el("section", { "aria-labelledby": "newest-head" }, el("h2", { id: "newest-head" }, "Newest answers"), el("ol", { class: "plain", id: "newest" })));
  await look();
});
