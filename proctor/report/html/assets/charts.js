/* Charts. A model keeps its colour and its marker through the whole page; no chart tells things apart by colour alone. */

import { axisOf, counted, placedOn, ticks } from "./axes.js";
import { el, svg } from "./elements.js";
import { marker, modelName, seriesClass } from "./models.js";
import { count, interval, isNumber, score, scoreWithSpread, tickText } from "./numbers.js";
import { plain } from "./text.js";

/** @param {Child} title @param {...Child} content */
export function figure(title, ...content) {
  return el("figure", {}, el("figcaption", {}, title), content);
}

/** Scores with their 95 % intervals, one line a model.
 * @param {Child} title
 * @param {{model: string, estimate: Estimate}[]} lines
 * @param {string} label
 */
export function intervalChart(title, lines, label) {
  const box = { left: 16, right: 284, top: 6, bottom: 12 + lines.length * 24 };
  const axis = axisOf(lines.flatMap(({ estimate }) => [estimate.value, ...(estimate.ci95 || [])]));
  const at = placedOn(axis, box.left, box.right);
  const told = lines.map(({ model, estimate }) => `${plain(model)} ${score(estimate.value)} ${interval(estimate.ci95)}`);
  return figure(title, svg("svg",
    { class: "chart", viewBox: `0 0 300 ${box.bottom + 36}`, role: "img", "aria-label": `${label}: ${told.join("; ")}` },
    axes(box, { axis, at }, null, label),
    lines.map(({ model, estimate }, number) => {
      if (!isNumber(estimate.value)) return null;
      const y = 18 + number * 24;
      return svg("g", {}, svg("title", {}, told[number]), whisker(model, estimate, at, y), marker(model, at(estimate.value), y));
    })));
}

/** @param {string} model @param {Estimate} estimate @param {(value: number) => number} at @param {number} y */
function whisker(model, estimate, at, y, cap = 4) {
  if (!estimate.ci95) return null;
  const [low, high] = estimate.ci95.map(at);
  const path = `M${low} ${y - cap}V${y + cap}M${low} ${y}H${high}M${high} ${y - cap}V${y + cap}`;
  return svg("path", { class: `whisker ${seriesClass(model)}`, d: path });
}

/** A small interval for a table cell, on an axis that the column's cells share.
 * @param {string} model
 * @param {Estimate} estimate
 * @param {Axis} axis
 */
export function spark(model, estimate, axis) {
  const at = placedOn(axis, 6, 94);
  return svg("svg", { class: "spark", width: 100, height: 14, viewBox: "0 0 100 14", "aria-hidden": "true" },
    svg("line", { class: "grid", x1: 6, x2: 94, y1: 7, y2: 7 }),
    isNumber(estimate.value) ? [whisker(model, estimate, at, 7, 3), marker(model, at(estimate.value), 7, 3.4)] : null);
}

/** Points of models, with an interval upwards and downwards where there is one.
 * @param {Child} title
 * @param {{model: string, x: number, y: number, told: string, ci95?: number[] | null, radius?: number}[]} points
 * @param {string} xLabel
 * @param {string} yLabel
 */
export function scatterChart(title, points, xLabel, yLabel) {
  const box = { left: 46, right: 286, top: 22, bottom: 176 };
  const xAxis = axisOf(points.map((point) => point.x));
  const yAxis = axisOf(points.flatMap((point) => [point.y, ...(point.ci95 || [])]));
  const x = { axis: xAxis, at: placedOn(xAxis, box.left, box.right) };
  const y = { axis: yAxis, at: placedOn(yAxis, box.bottom, box.top) };
  const told = points.map((point) => `${plain(point.model)}: ${point.told}`);
  return figure(title, svg("svg",
    { class: "chart", viewBox: "0 0 300 212", role: "img", "aria-label": `${yLabel} against ${xLabel}. ${told.join("; ")}` },
    axes(box, x, y, xLabel, yLabel),
    points.map((point, number) => svg("g", {},
      svg("title", {}, told[number]),
      point.ci95 ? svg("line", { class: `whisker ${seriesClass(point.model)}`, x1: x.at(point.x), x2: x.at(point.x),
        y1: y.at(point.ci95[0]), y2: y.at(point.ci95[1]) }) : null,
      marker(point.model, x.at(point.x), y.at(point.y), point.radius)))));
}

/** How often each target got each answer, as a table whose cells are the darker the higher their share of the row.
 * @param {Child} title
 * @param {Confusion} given
 */
export function confusionTable(title, { targets, predictions, counts }) {
  const name = (/** @type {string | null} */ label) => label === null ? "none" : plain(label, 24);
  return el("div", { class: "scroll" }, el("table", { class: "confusion" },
    el("caption", {}, title),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "target \\ answer"),
      predictions.map((label) => el("th", { scope: "col" }, name(label))))),
    el("tbody", {}, targets.map((target, row) => {
      const total = counts[row].reduce((sum, size) => sum + size, 0);
      return el("tr", {}, el("th", { scope: "row" }, name(target)), counts[row].map((size, column) => {
        const cell = el("td", { class: predictions[column] === target ? "agreed" : null }, size || "·");
        cell.style.setProperty("--share", String(total ? size / total : 0));
        return cell;
      }));
    }))));
}

/**
 * Estimates of several models as a table: lines by models, each with number, interval and a small picture of both.
 *
 * @param {string} caption What the table shows.
 * @param {string} head What its lines are.
 * @param {EstimateLine[]} lines Estimates by model, and the metric's scale where it has one.
 * @param {string[]} models The models, in the order of their columns.
 * @param {boolean} alike Whether all lines are of one quantity, so that their pictures share an axis.
 */
export function estimateTable(caption, head, lines, models, alike = true) {
  const bounds = (/** @type {EstimateLine} */ line) => [...line.of.values()].flatMap((e) => [e.value, ...(e.ci95 || [])]);
  const shared = axisOf(lines.flatMap(bounds));
  return el("div", { class: "scroll" }, el("table", { class: "estimates" },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, head), el("th", { scope: "col", class: "number" }, "n"),
      models.map((model) => el("th", { scope: "col" }, modelName(model))))),
    el("tbody", {}, lines.map((line) => el("tr", {},
      el("th", { scope: "row" }, el("bdi", {}, plain(line.label, 60))),
      el("td", { class: "number" }, typeof line.n === "number" ? count(line.n) : line.n),
      models.map((model) => {
        const estimate = line.of.get(model) || { value: null };
        const axis = alike ? shared : axisOf(bounds(line));
        return el("td", { class: "estimate" }, spark(model, estimate, axis), el("span", { class: "value" }, scoreWithSpread(estimate, line.scale)),
          el("span", { class: "interval" }, interval(estimate.ci95, { scale: line.scale })));
      }))))));
}

/** The frame of a chart: its axes with their grid and labels.
 * @param {Box} box
 * @param {PlacedAxis} x
 * @param {PlacedAxis | null} y
 * @param {string} xLabel
 * @param {string} [yLabel]
 */
export function axes(box, x, y, xLabel, yLabel) {
  const parts = [];
  for (const value of ticks(x.axis)) {
    const place = x.at(value);
    parts.push(svg("line", { class: "grid", x1: place, x2: place, y1: box.top, y2: box.bottom }));
    parts.push(svg("text", { class: "tick", x: place, y: box.bottom + 14, "text-anchor": "middle" }, tickText(value)));
  }
  for (const value of y ? ticks(y.axis) : []) {
    const place = y ? y.at(value) : 0;
    parts.push(svg("line", { class: "grid", x1: box.left, x2: box.right, y1: place, y2: place }));
    parts.push(svg("text", { class: "tick", x: box.left - 6, y: place + 4, "text-anchor": "end" }, tickText(value)));
  }
  const middle = (box.left + box.right) / 2;
  if (xLabel) parts.push(svg("text", { class: "axis", x: middle, y: box.bottom + 30, "text-anchor": "middle" }, xLabel));
  if (yLabel) parts.push(svg("text", { class: "axis", x: box.left - 30, y: box.top - 8 }, yLabel));
  return parts;
}

/** How often values fall into each bin; see `binsOf`.
 * @param {Child} title
 * @param {string} model
 * @param {number[]} values
 * @param {string} label
 * @param {Bins} bins
 */
export function histogram(title, model, values, label, bins) {
  const sizes = counted(values, bins);
  const box = { left: 40, right: 286, top: 22, bottom: 126 };
  const yAxis = axisOf([0, Math.max(...sizes, 4)]);
  const x = { axis: bins.axis, at: placedOn([bins.from, bins.from + bins.count * bins.size], box.left, box.right) };
  const y = { axis: yAxis, at: placedOn(yAxis, box.bottom, box.top) };
  const width = (box.right - box.left) / bins.count;
  const [low, high] = bins.axis;
  const told = (/** @type {number} */ number) => bins.grades ? ` with ${tickText(bins.from + (number + 0.5) * bins.size)}` : "";
  return figure(title, svg("svg", { class: "chart", viewBox: "0 0 300 162", role: "img",
    "aria-label": `${plain(model)}: cases by ${label}, ${bins.grades ? "by grade" : "in tenths"} from ${low} to ${high}: ${sizes.join(", ")}` },
    axes(box, x, y, label, "cases"),
    sizes.map((size, number) => svg("rect", { class: `bar ${seriesClass(model)}`, x: box.left + number * width + 1,
      width: width - 2, y: y.at(size), height: box.bottom - y.at(size) }, svg("title", {}, `${size} cases${told(number)}`)))));
}
