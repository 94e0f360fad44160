/* A run that goes on: how far each task is, what it scores so far, and the newest answers. */

let run = { models: [] }; // what charts take models from
const EVERY = 1000; // milliseconds between two looks
let family = "strict";
let newest = null;
let over = false;
let last = null;

async function look() {
  let state = null;
  try {
    const response = await fetch("state.json");
    if (!response.ok) throw new Error(await response.text());
    state = await response.json();
  } catch (problem) {
    document.getElementById("told").textContent = problem instanceof TypeError
      ? "The server does not answer: proctor view has ended." : plain(problem.message, 400);
  }
  if (state) show(state);
  if (!over) setTimeout(look, EVERY);
}

function show(state) {
  last = state;
  run.models = [...new Set(state.tasks.map((task) => task.model))];
  document.title = `${state.done} of ${state.total} – Proctor run`;
  document.getElementById("facts").textContent = [plain(state.run.id), moment(state.run.started)].join(" · ");
  document.getElementById("command").textContent = plain(state.run.command || "", 300);
  document.getElementById("told").replaceChildren(...told(state).filter(Boolean));
  document.getElementById("tasks").replaceChildren(taskTable(state.tasks));
  const answers = JSON.stringify(state.newest);
  if (answers !== newest) document.getElementById("newest").replaceChildren(...state.newest.map(answerItem));
  newest = answers;
  if (state.ended && !over) announce("The run has ended.");
  over = state.ended;
  document.documentElement.dataset.ready = "true";
}

function told(state) {
  const known = [`${count(state.done)} of ${count(state.total)} cases done`,
    state.not_measured ? `${count(state.not_measured)} not measured` : null,
    isNumber(state.in_flight) && !state.ended ? `${count(state.in_flight)} ${state.in_flight === 1 ? "request" : "requests"} in flight` : null,
    state.waiting && !state.ended ? `${count(state.waiting)} wait to be sent` : null,
    ...Object.entries(state.given_up).map(([model, why]) => `${plain(model, 60)} is asked no more: ${plain(why, 200)}`),
    state.retries ? `${count(state.retries)} sent again` : null,
    `${state.unpriced ? "more than " : ""}${dollars(state.spent)} spent`,
    state.unread ? `${count(state.unread)} lines of results.jsonl cannot be read` : null].filter(Boolean).join(" · ");
  return [el("span", { class: "known" }, known),
    state.ended ? [" · ", el("a", { href: "report.html" }, "The run has ended: its report")] : null,
    !state.ended && isNumber(state.silent_s) ? ` · No sign of life for ${count(state.silent_s)} s: it waits, or was cut short.` : null].flat();
}

function taskTable(tasks) {
  const estimateOf = (task) => task.scores[family] || { value: null };
  const axes = Map.groupBy(tasks, (task) => JSON.stringify([task.metric, task.scale]));
  const axisFor = new Map([...axes].map(([name, alike]) => [name, axisOf(alike.flatMap((task) => [...task.scale, estimateOf(task).value, ...(estimateOf(task).ci95 || [])]))]));
  return el("table", { class: "scores live" },
    headLine(["Task", "Model", "Done", "", "Metric", "Score so far", "95 % interval", "", "Not scored"], [2, 5]),
    el("tbody", {}, tasks.map((task) => {
      const estimate = estimateOf(task);
      const others = Object.entries(task.statuses).filter(([status]) => status !== "scored").map(([status, size]) => `${count(size)} ${words(status)}`);
      return el("tr", { "data-task": task.task, "data-model": task.model }, el("th", { scope: "row" }, el("bdi", {}, plain(task.task, 60))), el("td", {}, modelName(task.model)),
        el("td", { class: "number done" }, `${count(task.done)} of ${count(task.total)}`),
        el("td", {}, el("progress", { max: Math.max(1, task.total), value: task.done, "aria-label": `${plain(task.task, 60)}, ${plain(task.model, 60)}: cases done` })),
        el("td", {}, words(task.metric)), el("td", { class: "number strong" }, score(estimate.value)), el("td", { class: "interval" }, interval(estimate.ci95)),
        el("td", {}, spark(task.model, estimate, axisFor.get(JSON.stringify([task.metric, task.scale])))),
        el("td", { class: "quiet" }, others.join(", ") || NONE));
    })));
}

function answerItem(answer) {
  const [worst, best] = answer.scale;
  const sign = worst > best ? -1 : 1;
  const measured = !["error", "judge_failed"].includes(answer.status);
  const verdict = !measured ? "not measured" : sign * answer.score >= sign * best ? "correct" : answer.status === "scored" && sign * answer.score > sign * worst ? "partial" : "incorrect";
  return el("li", {}, el("p", {}, el("bdi", { class: "strong" }, plain(answer.sample_id, 80)), answer.epoch > 1 ? `, epoch ${answer.epoch}` : "", " ",
    el("span", { class: "quiet" }, `${plain(answer.task, 60)}, ${plain(answer.model, 60)} `),
    el("span", { class: `verdict ${verdict.replace(" ", "-")}` }, verdict), answer.status === "scored" ? "" : ` (${words(answer.status)})`,
    el("span", { class: "quiet" }, measured ? ` ${score(answer.score)}` : "", isNumber(answer.latency_s) ? `, ${seconds(answer.latency_s)}` : "")),
  answer.answer === null ? el("p", { class: "quiet" }, plain(answer.error || "no answer", 300)) : textBlock(answer.answer + (answer.cut ? "…" : "")));
}

function start() {
  rememberedTheme();
  if (!Map.groupBy) {
    document.getElementById("main").replaceChildren(el("p", {}, "This page needs a browser from 2024 or later."));
    return;
  }
  const families = ["strict", "official"].map((name) => el("label", {}, el("input", { type: "radio", name: "family", value: name,
    checked: name === family, onchange: () => { family = name; if (last) show(last); } }), " ", name));
  document.getElementById("header").replaceChildren(
    el("div", { class: "title" }, el("h1", {}, "Proctor run"), el("p", { class: "quiet", id: "facts" })),
    el("nav", { "aria-label": "Pages" }, el("a", { href: "../" }, "All runs")),
    el("fieldset", {}, el("legend", { class: "unseen" }, "Scores"), families),
    el("button", { type: "button", id: "theme", onclick: switchTheme }, "Theme"));
  document.getElementById("main").replaceChildren(
    el("p", { id: "told" }, "Looking …"), el("p", {}, el("code", { id: "command" })),
    el("section", { "aria-labelledby": "so-far" }, el("h2", { id: "so-far" }, "So far"), el("div", { class: "scroll", id: "tasks", tabindex: 0 })),
    el("section", { "aria-labelledby": "newest-head" }, el("h2", { id: "newest-head" }, "Newest answers"), el("ol", { class: "plain", id: "newest" })));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  look();
}

start();
