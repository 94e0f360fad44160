/* Charts. A model keeps its colour and its marker through the whole page; no chart tells things apart by colour alone. */

const SERIES = 8;
const MARKERS = [
  (r) => `M0 ${-r}A${r} ${r} 0 1 1 0 ${r}A${r} ${r} 0 1 1 0 ${-r}Z`,
  (r) => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  (r) => `M0 ${-1.25 * r}L${1.2 * r} ${0.95 * r}H${-1.2 * r}Z`,
  (r) => `M0 ${-1.35 * r}L${1.35 * r} 0L0 ${1.35 * r}L${-1.35 * r} 0Z`,
  (r) => `M0 ${1.25 * r}L${1.2 * r} ${-0.95 * r}H${-1.2 * r}Z`,
  (r) => `M${-r} ${-r / 3}H${-r / 3}V${-r}H${r / 3}V${-r / 3}H${r}V${r / 3}H${r / 3}V${r}H${-r / 3}V${r / 3}H${-r}Z`,
];

function seriesClass(model) { return `series-${run.models.indexOf(model) % SERIES}`; }

function marker(model, x, y, radius = 4.5) {
  const shape = MARKERS[run.models.indexOf(model) % MARKERS.length];
  return svg("path", { class: `marker ${seriesClass(model)}`, d: shape(radius), transform: `translate(${x} ${y})` });
}

function markerImage(model) {
  return svg("svg", { width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true" }, marker(model, 0, 0));
}

/** A model's marker alone, where its name stands beside. */
function modelMarker(model) {
  return el("span", { title: plain(model) }, markerImage(model), el("span", { class: "unseen" }, plain(model, 80)));
}

/** A model's name with the marker that stands for it. */
function modelName(model) {
  return el("span", { class: "model" }, markerImage(model), el("bdi", {}, plain(model, 80)));
}

function legend(models = run.models) {
  return models.length > 1 ? el("ul", { class: "legend" }, models.map((model) => el("li", {}, modelName(model)))) : null;
}

function figure(title, ...content) {
  return el("figure", {}, el("figcaption", {}, title), content);
}

/** The head of a table; the columns from a number on hold numbers, or those whose places are given. */
function headLine(heads, numeric) {
  const isNumeric = (place) => Array.isArray(numeric) ? numeric.includes(place) : place >= numeric;
  return el("thead", {}, el("tr", {}, heads.map((head, place) =>
    el("th", { scope: "col", class: isNumeric(place) ? "number" : null }, head))));
}

function scale([low, high], from, to) {
  return (value) => from + ((value - low) / (high - low || 1)) * (to - from);
}

/** The frame of a chart: its axes with their grid and labels. */
function axes(box, x, y, xLabel, yLabel) {
  const parts = [];
  for (const value of ticks(x.axis)) {
    const place = x.at(value);
    parts.push(svg("line", { class: "grid", x1: place, x2: place, y1: box.top, y2: box.bottom }));
    parts.push(svg("text", { class: "tick", x: place, y: box.bottom + 14, "text-anchor": "middle" }, tickText(value)));
  }
  for (const value of y ? ticks(y.axis) : []) {
    const place = y.at(value);
    parts.push(svg("line", { class: "grid", x1: box.left, x2: box.right, y1: place, y2: place }));
    parts.push(svg("text", { class: "tick", x: box.left - 6, y: place + 4, "text-anchor": "end" }, tickText(value)));
  }
  const middle = (box.left + box.right) / 2;
  if (xLabel) parts.push(svg("text", { class: "axis", x: middle, y: box.bottom + 30, "text-anchor": "middle" }, xLabel));
  if (yLabel) parts.push(svg("text", { class: "axis", x: box.left - 30, y: box.top - 8 }, yLabel));
  return parts;
}

/** Scores with their 95 % intervals, one line a model. */
function intervalChart(title, lines, label) {
  const box = { left: 16, right: 284, top: 6, bottom: 12 + lines.length * 24 };
  const axis = axisOf(lines.flatMap(({ estimate }) => [estimate.value, ...(estimate.ci95 || [])]));
  const at = scale(axis, box.left, box.right);
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

function whisker(model, estimate, at, y, cap = 4) {
  if (!estimate.ci95) return null;
  const [low, high] = estimate.ci95.map(at);
  const path = `M${low} ${y - cap}V${y + cap}M${low} ${y}H${high}M${high} ${y - cap}V${y + cap}`;
  return svg("path", { class: `whisker ${seriesClass(model)}`, d: path });
}

/** A small interval for a table cell, on an axis that the column's cells share. */
function spark(model, estimate, axis) {
  const at = scale(axis, 6, 94);
  return svg("svg", { class: "spark", width: 100, height: 14, viewBox: "0 0 100 14", "aria-hidden": "true" },
    svg("line", { class: "grid", x1: 6, x2: 94, y1: 7, y2: 7 }),
    isNumber(estimate.value) ? [whisker(model, estimate, at, 7, 3), marker(model, at(estimate.value), 7, 3.4)] : null);
}

/** Points of models, with an interval upwards and downwards where there is one. */
function scatterChart(title, points, xLabel, yLabel) {
  const box = { left: 46, right: 286, top: 22, bottom: 176 };
  const xAxis = axisOf(points.map((point) => point.x));
  const yAxis = axisOf(points.flatMap((point) => [point.y, ...(point.ci95 || [])]));
  const x = { axis: xAxis, at: scale(xAxis, box.left, box.right) };
  const y = { axis: yAxis, at: scale(yAxis, box.bottom, box.top) };
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

const MOST_BINS = 20;

/**
 * Into which bins values are counted: one for each grade where all are grades, of tenths or of whole or half points;
 * else tenths of an axis, the last of which holds its end too.
 *
 * @param {number[]} values All values, of all models.
 * @param {number[]} scale The worst value and the best.
 * @returns {{axis: number[], from: number, size: number, count: number, grades: boolean}} The axis, where the first bin
 *   begins, how large and how many they are, and whether each holds one grade, which is its middle.
 */
function binsOf(values, [worst, best]) {
  const [low, high] = extent([worst, best, ...values]);
  for (const step of high - low <= 1 ? [0.1] : [1, 0.5]) {
    const size = Math.round((high - low) / step) + 1;
    const isGrade = (value) => Math.abs((value - low) / step - Math.round((value - low) / step)) < 1e-6;
    if (size > MOST_BINS || ![...values, high].every(isGrade)) continue;
    const every = Math.ceil((high - low) / step / 5) * step; // about five ticks, at grades
    return { axis: [low, high, every], from: low - step / 2, size: step, count: size, grades: true };
  }
  const axis = axisOf(values);
  return { axis, from: axis[0], size: (axis[1] - axis[0]) / 10, count: 10, grades: false };
}

/** How often values fall into each bin; see `binsOf`. */
function histogram(title, model, values, label, bins) {
  const sizes = Array(bins.count).fill(0);
  // Half of a millionth is added for 0.3 / 0.1, which is a little less than 3.
  for (const value of values) sizes[Math.min(bins.count - 1, Math.floor((value - bins.from) / bins.size + 5e-7))] += 1;
  const box = { left: 40, right: 286, top: 22, bottom: 126 };
  const yAxis = axisOf([0, Math.max(...sizes, 4)]);
  const x = { axis: bins.axis, at: scale([bins.from, bins.from + bins.count * bins.size], box.left, box.right) };
  const y = { axis: yAxis, at: scale(yAxis, box.bottom, box.top) };
  const width = (box.right - box.left) / bins.count;
  const [low, high] = bins.axis;
  const told = (number) => bins.grades ? ` with ${tickText(bins.from + (number + 0.5) * bins.size)}` : "";
  return figure(title, svg("svg", { class: "chart", viewBox: "0 0 300 162", role: "img",
    "aria-label": `${plain(model)}: cases by ${label}, ${bins.grades ? "by grade" : "in tenths"} from ${low} to ${high}: ${sizes.join(", ")}` },
    axes(box, x, y, label, "cases"),
    sizes.map((size, number) => svg("rect", { class: `bar ${seriesClass(model)}`, x: box.left + number * width + 1,
      width: width - 2, y: y.at(size), height: box.bottom - y.at(size) }, svg("title", {}, `${size} cases${told(number)}`)))));
}

/** How often each target got each answer, as a table whose cells are the darker the higher their share of the row. */
function confusionTable(title, { targets, predictions, counts }) {
  const name = (label) => label === null ? "none" : plain(label, 24);
  return el("div", { class: "scroll" }, el("table", { class: "confusion" },
    el("caption", {}, title),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "target \\ answer"),
      predictions.map((label) => el("th", { scope: "col" }, name(label))))),
    el("tbody", {}, targets.map((target, row) => {
      const total = counts[row].reduce((sum, size) => sum + size, 0);
      return el("tr", {}, el("th", { scope: "row" }, name(target)), counts[row].map((size, column) => {
        const cell = el("td", { class: predictions[column] === target ? "agreed" : null }, size || "·");
        cell.style.setProperty("--share", total ? size / total : 0);
        return cell;
      }));
    }))));
}

/**
 * Estimates of several models as a table: lines by models, each with number, interval and a small picture of both.
 *
 * @param {string} caption What the table shows.
 * @param {string} head What its lines are.
 * @param {{label: string, n: (number|string), of: Map<string, object>, scale?: number[]}[]} lines Estimates by model, and the
 *   metric's worst value and best where it has such.
 * @param {string[]} models The models, in the order of their columns.
 * @param {boolean} alike Whether all lines are of one quantity, so that their pictures share an axis.
 */
function estimateTable(caption, head, lines, models, alike = true) {
  const bounds = (line) => [...line.of.values()].flatMap((e) => [e.value, ...(e.ci95 || [])]);
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
