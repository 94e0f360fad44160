/* How a task and model scored from run to run. */

import { axisOf, placedOn } from "./axes.js";
import { axes, figure } from "./charts.js";
import { el, svg } from "./elements.js";
import { marker, seriesClass } from "./models.js";
import { count, interval, isNumber, score } from "./numbers.js";
import { headLine } from "./tables.js";
import { plain } from "./text.js";

/** Scores of runs, the oldest first, with their 95 % intervals. What was measured alike is joined by a line; where it is
 * not, the line breaks and the chart says what is another.
 *
 * @param {Child} title What the chart shows.
 * @param {HistoryOf} history See many/histories.py.
 * @param {Family} family
 * @param {RunOf} runOf Tells of a point's run.
 */
export function historyChart(title, { model, scale, points }, family, runOf) {
  const [worst, best] = scale;
  const drawn = points.filter((point) => isNumber(point.scores[family]?.value));
  const values = drawn.map((point) => Number(point.scores[family].value));
  const told = drawn.map((point, place) => `${runOf(point).date}: ${score(values[place], { scale })} ${interval(point.scores[family].ci95, { scale })}`
    + `${point.differs.length ? `, other ${point.differs.join(", ")} than before` : ""}`);
  const box = { left: 46, right: 604, top: 22, bottom: 148 };
  const axis = axisOf([best, ...(worst > best ? [0] : [worst]), ...values, ...drawn.flatMap((point) => point.scores[family].ci95 || [])]);
  const y = { axis, at: placedOn(axis, box.bottom, box.top) };
  const step = (box.right - box.left) / Math.max(1, drawn.length);
  const x = (/** @type {number} */ place) => box.left + (place + 0.5) * step;
  /** @type {string[][]} */
  const lines = [];
  drawn.forEach((point, place) => {
    if (place === 0 || point.differs.length) lines.push([]);
    lines[lines.length - 1].push(`${x(place)} ${y.at(values[place])}`);
  });
  const every = Math.ceil(drawn.length / 6); // dates that do not run into one another
  return figure(title, svg("svg", { class: "chart history", viewBox: "0 0 620 178", role: "group",
    "aria-label": `${plain(model)}, ${family}, from the oldest run to the newest: ${told.join("; ")}` },
    axes(box, { axis: [1, 0, 1], at: x }, y, ""),
    lines.map((line) => svg("polyline", { class: `line ${seriesClass(model)}`, points: line.join(" ") })),
    drawn.map((point, place) => point.differs.length ? svg("g", { class: "split" },
      svg("line", { x1: x(place) - step / 2, x2: x(place) - step / 2, y1: box.top - 6, y2: box.bottom }),
      svg("text", { class: "tick", x: x(place) - step / 2 + 3, y: box.top - 8 }, `other ${point.differs.join(", ")}`)) : null),
    drawn.map((point, place) => place % every ? null
      : svg("text", { class: "tick", x: x(place), y: box.bottom + 16, "text-anchor": "middle" }, runOf(point).date.slice(0, 10))),
    drawn.map((point, place) => {
      const { ci95 } = point.scores[family];
      const content = [svg("title", {}, told[place]),
        ci95 ? svg("line", { class: `whisker ${seriesClass(model)}`, x1: x(place), x2: x(place), y1: y.at(ci95[0]), y2: y.at(ci95[1]) }) : null,
        marker(model, x(place), y.at(values[place]), 4)];
      const { href } = runOf(point);
      return href ? svg("a", { href, "aria-label": told[place] }, content) : svg("g", {}, content);
    })));
}

/** The same in figures, drawn when it is opened; the newest first. @param {HistoryOf} history @param {Family} family @param {RunOf} runOf */
export function historyTable({ points, scale }, family, runOf) {
  const table = el("details", {}, el("summary", {}, `${count(points.length)} runs in figures`));
  table.addEventListener("toggle", () => {
    if (table.childElementCount > 1) return;
    table.append(el("div", { class: "scroll" }, el("table", {}, headLine(["Run", "Score", "95 % interval", "Note"], [1]),
      el("tbody", {}, points.toReversed().map((point) => {
        const estimate = point.scores[family] || { value: null }, { href, date } = runOf(point);
        return el("tr", {}, el("th", { scope: "row" }, href ? el("a", { href }, date) : date), el("td", { class: "number" }, score(estimate.value, { scale })),
          el("td", { class: "interval" }, interval(estimate.ci95, { scale })),
          el("td", { class: "quiet" }, [...partsLeftOut(point), ...point.differs.length ? [`other ${point.differs.join(", ")} than before`] : []].join("; ")));
      })))));
  });
  return table;
}

/** What is told of a run of some samples, or with cases that were not measured. @param {Measured} entry */
export function partsLeftOut(entry) {
  return [entry.selected < entry.in_data ? `${count(entry.selected)} of ${count(entry.in_data)} samples` : "",
    entry.not_measured ? `${count(entry.not_measured)} of ${count(entry.expected)} cases not measured` : ""].filter(Boolean);
}
