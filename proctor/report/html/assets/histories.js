/* How a task and model scored from run to run. */

/**
 * Scores of runs, the oldest first, with their 95 % intervals. What was measured alike is joined by a line; where it is
 * not, the line breaks and the chart says what is another.
 *
 * @param {string} title What the chart shows.
 * @param {{model: string, scale: number[], points: object[]}} history The history; see many/histories.py.
 * @param {string} family The family of scores.
 * @param {(point: object) => {href: string|null, date: string}} runOf Tells of a point's run.
 */
function historyChart(title, { model, scale: [worst, best], points }, family, runOf) {
  const shown = points.filter((point) => isNumber(point.scores[family]?.value));
  const box = { left: 46, right: 604, top: 22, bottom: 148 };
  const axis = axisOf([best, ...(worst > best ? [0] : [worst]), ...shown.flatMap((point) => [point.scores[family].value, ...(point.scores[family].ci95 || [])])]);
  const y = { axis, at: scale(axis, box.bottom, box.top) };
  const step = (box.right - box.left) / Math.max(1, shown.length);
  const x = (place) => box.left + (place + 0.5) * step;
  const told = shown.map((point) => `${runOf(point).date}: ${score(point.scores[family].value)} ${interval(point.scores[family].ci95)}`
    + `${point.differs.length ? `, other ${point.differs.join(", ")} than before` : ""}`);
  const lines = [];
  shown.forEach((point, place) => {
    if (place === 0 || point.differs.length) lines.push([]);
    lines.at(-1).push(`${x(place)} ${y.at(point.scores[family].value)}`);
  });
  const every = Math.ceil(shown.length / 6); // dates that do not run into one another
  return figure(title, svg("svg", { class: "chart history", viewBox: "0 0 620 178", role: "group",
    "aria-label": `${plain(model)}, ${family}, from the oldest run to the newest: ${told.join("; ")}` },
    axes(box, { axis: [1, 0, 1], at: x }, y, "", ""),
    lines.map((line) => svg("polyline", { class: `line ${seriesClass(model)}`, points: line.join(" ") })),
    shown.map((point, place) => point.differs.length ? svg("g", { class: "split" },
      svg("line", { x1: x(place) - step / 2, x2: x(place) - step / 2, y1: box.top - 6, y2: box.bottom }),
      svg("text", { class: "tick", x: x(place) - step / 2 + 3, y: box.top - 8 }, `other ${point.differs.join(", ")}`)) : null),
    shown.map((point, place) => place % every ? null
      : svg("text", { class: "tick", x: x(place), y: box.bottom + 16, "text-anchor": "middle" }, runOf(point).date.slice(0, 10))),
    shown.map((point, place) => {
      const { value, ci95 } = point.scores[family];
      const drawn = [svg("title", {}, told[place]),
        ci95 ? svg("line", { class: `whisker ${seriesClass(model)}`, x1: x(place), x2: x(place), y1: y.at(ci95[0]), y2: y.at(ci95[1]) }) : null,
        marker(model, x(place), y.at(value), 4)];
      const { href } = runOf(point);
      return href ? svg("a", { href, "aria-label": told[place] }, drawn) : svg("g", {}, drawn);
    })));
}
