/* Scene graphs and the like: answers that are lists of graphs, each a list of triplets of names. */

const MOST_TRIPLETS_DRAWN = 40;
const MOST_TRIPLETS_LISTED = 200;
const KINDS = {
  matched: { mark: "✓", text: "in both" },
  missing: { mark: "○", text: "only in the gold graph" },
  wrong: { mark: "✕", text: "only in the prediction" },
};

function isGraphs(value) {
  return Array.isArray(value) && value.length > 0 && value.every((graph) => Array.isArray(graph) && graph.every(
    (triplet) => Array.isArray(triplet) && triplet.length === 3 && triplet.every((name) => typeof name === "string")));
}

/** The distinct triplets of a gold and a predicted graph, each as matched, missing or wrong. */
function comparedTriplets(gold, predicted) {
  const keys = (graph) => new Map(graph.map((triplet) => [JSON.stringify(triplet), triplet]));
  const [wanted, found] = [keys(gold), keys(predicted)];
  const kindOf = (key) => wanted.has(key) ? (found.has(key) ? "matched" : "missing") : "wrong";
  return [...new Map([...wanted, ...found])].map(([key, triplet]) => ({ triplet, kind: kindOf(key) }));
}

/** All graphs of an answer against the gold ones, paired by position. */
function graphPairs(gold, predicted) {
  const pairs = Array.from({ length: Math.max(gold.length, predicted.length) }, (_, place) => graphPair(gold, predicted, place));
  const first = Math.max(gold.length, 3);
  const rest = pairs.length > first
    ? el("details", {}, el("summary", {}, `${pairs.length - first} more predicted graphs`), pairs.slice(first)) : null;
  return el("div", { class: "graphs" }, graphLegend(), pairs.slice(0, first), rest);
}

function graphLegend() {
  return el("ul", { class: "legend" }, Object.entries(KINDS).map(([kind, { mark, text }]) => el("li", { class: `triplet ${kind}` },
    svg("svg", { width: 34, height: 10, viewBox: "0 0 34 10", "aria-hidden": "true" },
      svg("path", { class: `edge ${kind}`, d: "M1 5H26" }), arrowHead(kind, 32, 5, 1)), ` ${mark} ${text}`)));
}

function graphPair(gold, predicted, place) {
  const triplets = comparedTriplets(gold[place] || [], predicted[place] || []);
  const sizes = Object.keys(KINDS).map((kind) => `${triplets.filter((t) => t.kind === kind).length} ${kind}`).join(", ");
  const only = place >= gold.length ? " (no gold graph at this place)" : place >= predicted.length ? " (no prediction)" : "";
  const line = ({ triplet, kind }) => el("li", { class: `triplet ${kind}` }, `${KINDS[kind].mark} `,
    triplet.map((name, part) => [part ? " → " : null, el("bdi", {}, shown(name))]),
    el("span", { class: "unseen" }, ` (${KINDS[kind].text})`));
  const more = triplets.length - MOST_TRIPLETS_LISTED;
  const list = el("details", { open: triplets.length > MOST_TRIPLETS_DRAWN }, el("summary", {}, `Triplets: ${sizes}`),
    el("ul", { class: "triplets" }, triplets.slice(0, MOST_TRIPLETS_LISTED).map(line), more > 0 ? el("li", {}, `and ${count(more)} more`) : null));
  return el("figure", { class: "graph-pair" }, el("figcaption", {}, `Graph ${place + 1}${only}`),
    triplets.length > MOST_TRIPLETS_DRAWN ? el("p", { class: "quiet" }, "Too many triplets to draw.") : drawing(triplets, sizes), list);
}

/** Where each node stands: in columns by its distance from the nodes that nothing leads to. */
function layout(triplets) {
  const nodes = new Map();
  for (const { triplet: [source, , target], kind } of triplets) {
    for (const name of [source, target]) {
      const node = nodes.get(name) || { name, kinds: new Set(), next: [], before: [], column: null };
      node.kinds.add(kind);
      nodes.set(name, node);
    }
    nodes.get(source).next.push(nodes.get(target));
    nodes.get(target).before.push(nodes.get(source));
  }
  const all = [...nodes.values()];
  const reach = (from) => {
    let front = from;
    for (let column = 0; front.length; column += 1) {
      for (const node of front) node.column = column;
      front = [...new Set(front.flatMap((node) => node.next))].filter((node) => node.column === null);
    }
  };
  reach(all.filter((node) => node.before.every((source) => source === node)));
  for (const node of all) if (node.column === null) reach([node]); // what only a cycle leads to
  const columns = [];
  for (const node of all) (columns[node.column] ??= []).push(node);
  place(columns);
  return nodes;
}

const ROW_HEIGHT = 40;
const EDGE_SPACE = 92;

function place(columns) {
  const tallest = Math.max(...columns.map((column) => column.length));
  let left = 4;
  for (const column of columns) {
    for (const node of column) {
      const placed = node.before.filter((source) => source.y !== undefined);
      node.pull = placed.reduce((sum, source) => sum + source.y, 0) / (placed.length || 1);
      node.label = plain(node.name, 22);
      node.width = node.label.length * 7 + 18;
    }
    column.sort((a, b) => a.pull - b.pull);
    const top = ((tallest - column.length) * ROW_HEIGHT) / 2 + ROW_HEIGHT / 2;
    const width = Math.max(...column.map((node) => node.width));
    column.forEach((node, row) => { Object.assign(node, { x: left, y: top + row * ROW_HEIGHT }); });
    left += width + EDGE_SPACE;
  }
}

function drawing(triplets, sizes) {
  if (!triplets.length) return el("p", { class: "quiet" }, "Both graphs are empty.");
  const nodes = layout(triplets);
  const all = [...nodes.values()];
  const width = Math.max(...all.map((node) => node.x + node.width)) + 40;
  const height = Math.max(...all.map((node) => node.y)) + ROW_HEIGHT / 2;
  const [drawn, into] = [new Map(), new Map()];
  const label = `Gold and predicted graph: ${sizes}`;
  const chart = svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    triplets.map(({ triplet: [source, edge, target], kind }) => {
      const pair = JSON.stringify([source, target]);
      const nth = drawn.get(pair) || 0;
      drawn.set(pair, nth + 1);
      const sources = into.get(target) || [];
      into.set(target, sources.includes(source) ? sources : [...sources, source]);
      return edgeDrawing(nodes.get(source), nodes.get(target), edge, kind, nth, LABEL_PLACES[into.get(target).indexOf(source) % 3]);
    }),
    all.map((node) => {
      const kind = node.kinds.size === 1 ? [...node.kinds][0] : "matched"; // in both graphs, if not by the same edges
      return svg("g", { class: `node ${kind}` }, svg("title", {}, plain(node.name, 300)),
        svg("rect", { x: node.x, y: node.y - 12, width: node.width, height: 24, rx: 5 }),
        svg("text", { x: node.x + node.width / 2, y: node.y + 4, "text-anchor": "middle" }, node.label));
    }));
  chart.style.maxWidth = `${Math.round(width * 1.05)}px`;
  return chart;
}

// Where on its way an edge has its label: near the target, where edges from one node have parted; edges from other nodes elsewhere.
const LABEL_PLACES = [0.7, 0.5, 0.6];

function edgeDrawing(source, target, name, kind, nth, part) {
  const start = source.x + source.width;
  const forward = target.column > source.column;
  const end = forward ? target.x - 8 : target.x + target.width + 8;
  const bend = forward ? (end - start) / 2 : 34 + 10 * nth;
  const outer = Math.max(start, end) + bend;
  const shift = nth * 26;
  const loop = source === target ? 14 : 0; // an edge from a node to itself leaves above and comes back below
  const path = forward
    ? `M${start} ${source.y}C${start + bend} ${source.y + shift} ${end - bend} ${target.y + shift} ${end} ${target.y}`
    : `M${start} ${source.y}C${outer} ${source.y - loop} ${outer} ${target.y + loop} ${end} ${target.y}`;
  const x = forward ? start + (end - start) * curve(part, 0, 0.5, 0.5, 1) : outer - 6;
  const y = forward ? curve(part, source.y, source.y + shift, target.y + shift, target.y) + 4 : (source.y + target.y) / 2 + 4;
  return svg("g", { class: "relation", "data-kind": kind }, svg("title", {}, `${plain(name, 300)} (${KINDS[kind].text})`),
    svg("path", { class: `edge ${kind}`, d: path }), arrowHead(kind, end + (forward ? 7 : -7), target.y, forward ? 1 : -1),
    svg("text", { class: `edge-label ${kind}`, x, y, "text-anchor": "middle" }, `${KINDS[kind].mark} ${plain(name, 16)}`));
}

/** A coordinate of a cubic curve, a part of the way along it. */
function curve(part, start, first, second, end) {
  const rest = 1 - part;
  return rest ** 3 * start + 3 * rest ** 2 * part * first + 3 * rest * part ** 2 * second + part ** 3 * end;
}

/** An arrow's point at x, y: full, hollow for what is missing, a cross for what is wrong. */
function arrowHead(kind, x, y, direction) {
  const back = x - 7 * direction;
  const cross = `M${back} ${y - 4}L${x} ${y + 4}M${back} ${y + 4}L${x} ${y - 4}`;
  const point = `M${back} ${y - 4}L${x} ${y}L${back} ${y + 4}Z`;
  return svg("path", { class: `arrow ${kind}`, d: kind === "wrong" ? cross : point });
}
