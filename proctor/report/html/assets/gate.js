/* The gate: what the run had to reach, and whether it did. */

function gateSection(gate) {
  if (!gate) return null;
  const [mark, told] = gate.holds === true ? ["✓", "The gate holds."] : gate.holds === false ? ["✕", "The gate does not hold."]
    : ["?", `The gate is not decided: ${count(gate.unmeasured)} cases were not measured.`];
  const shows = { "✓": "better", "✕": "worse" }[mark] || "none";
  const lines = [...gate.floors.map(floorLine), ...gate.against_baseline.map((entry) => baselineLine(entry, gate.baseline))];
  return el("section", { "aria-labelledby": "gate" }, el("h2", { id: "gate" }, "Gate"),
    el("p", { class: `outcome ${shows}` }, `${mark} ${told}`),
    el("div", { class: "scroll" }, el("table", { class: "gate" },
      headLine(["Task", "Model", "Metric", "Is", "95 % interval", "Must be", "", "Cases that flipped"], [3]),
      el("tbody", {}, lines))));
}

function gateLine(task, model, metric, value, must, holds, flipped) {
  return el("tr", {}, el("th", { scope: "row" }, taskLink(task)), el("td", {}, modelName(model)), el("td", {}, plain(metric)),
    value, el("td", {}, must), el("td", { class: `outcome ${holds ? "better" : "worse"}` }, holds ? "✓ holds" : "✕ does not hold"),
    el("td", {}, flipped));
}

function floorLine(entry) {
  const value = [el("td", { class: "number" }, score(entry.value)), el("td", { class: "interval" }, interval(entry.ci95))];
  const metric = `${words(entry.metric)}, ${words(entry.family)}`;
  return gateLine(entry.task, entry.model, metric, value, `at least ${score(entry.at_least)}`, entry.holds, "");
}

/** A difference from the former run fails only where its whole interval lies below minus the margin. */
function baselineLine(entry, baseline) {
  const value = [el("td", { class: "number" }, score(entry.difference, true)), el("td", { class: "interval" }, interval(entry.ci95, true))];
  const must = `not below ${plain(baseline, 40)}${entry.margin ? ` by more than ${score(entry.margin)}` : ""}`;
  const task = `${entry.benchmark}/${entry.task}`;
  const link = (id) => el("li", {}, el("a", { href: caseAddress(task, id, entry.b.model) }, plain(id, 60)));
  const flipped = el("details", {}, el("summary", {}, `${count(entry.lost.length)} worse, ${count(entry.won.length)} better`),
    el("ul", {}, entry.lost.map(link)));
  return gateLine(task, entry.b.model, `${words(entry.metric)}, ${words(entry.family)}`, value, must, entry.holds, flipped);
}
