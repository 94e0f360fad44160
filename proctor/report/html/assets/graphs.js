/* Scene graphs and the like: answers that are lists of graphs, each a list of triplets of names. */

import { el, svg } from "./elements.js";
import { count } from "./numbers.js";
import { plain, shown } from "./text.js";
import { comparedTriplets, countedKinds, KIND_NAMES, KINDS } from "./triplets.js";

const MOST_TRIPLETS_DRAWN = 40;
const MOST_TRIPLETS_LISTED = 200;

/** All graphs of an answer against the gold ones, paired by position. @param {Triplet[][]} gold @param {Triplet[][]} predicted */
export function graphPairs(gold, predicted) {
  const pairs = Array.from({ length: Math.max(gold.length, predicted.length) }, (_, place) => graphPair(gold, predicted, place));
  const first = Math.max(gold.length, 3);
  const rest = pairs.length > first
    ? el("details", {}, el("summary", {}, `${pairs.length - first} more predicted graphs`), pairs.slice(first)) : null;
  return el("div", { class: "graphs" }, graphLegend(), pairs.slice(0, first), rest);
}

function graphLegend() {
  return el("ul", { class: "legend" }, KIND_NAMES.map((kind) => el("li", { class: `triplet ${kind}` },
    svg("svg", { width: 34, height: 10, viewBox: "0 0 34 10", "aria-hidden": "true" },
      svg("path", { class: `edge ${kind}`, d: "M1 5H26" }), arrowHead(kind, 32, 5, 1)), ` ${KINDS[kind].mark} ${KINDS[kind].text}`)));
}

/** @param {Triplet[][]} gold @param {Triplet[][]} predicted @param {number} place */
function graphPair(gold, predicted, place) {
  const triplets = comparedTriplets(gold[place] || [], predicted[place] || []);
  const counts = countedKinds(triplets);
  const sizes = KIND_NAMES.map((kind) => `${counts[kind]} ${kind}`).join(", ");
  const only = place >= gold.length ? " (no gold graph at this place)" : place >= predicted.length ? " (no prediction)" : "";
  const line = (/** @type {ComparedTriplet} */ { triplet, kind }) => el("li", { class: `triplet ${kind}` }, `${KINDS[kind].mark} `,
    triplet.map((name, part) => [part ? " → " : null, el("bdi", {}, shown(name))]),
    el("span", { class: "unseen" }, ` (${KINDS[kind].text})`));
  const more = triplets.length - MOST_TRIPLETS_LISTED;
  const list = el("details", { open: triplets.length > MOST_TRIPLETS_DRAWN }, el("summary", {}, `Triplets: ${sizes}`),
    el("ul", { class: "triplets" }, triplets.slice(0, MOST_TRIPLETS_LISTED).map(line), more > 0 ? el("li", {}, `and ${count(more)} more`) : null));
  return el("figure", { class: "graph-pair" }, el("figcaption", {}, `Graph ${place + 1}${only}`),
    triplets.length > MOST_TRIPLETS_DRAWN ? el("p", { class: "quiet" }, "Too many triplets to draw.") : drawing(triplets, sizes), list);
}

/** Where each node stands: in columns by its distance from the nodes that nothing leads to. @param {ComparedTriplet[]} triplets */
function layout(triplets) {
  /** @type {Map<string, GraphNode>} */
  const nodes = new Map();
  for (const { triplet: [source, , target], kind } of triplets) {
    const [from, to] = [source, target].map((name) => {
      const label = plain(name, 22);
      const node = nodes.get(name) || { name, label, width: label.length * 7 + 18, kinds: new Set(), next: [], before: [], column: -1, x: 0, y: 0 };
      node.kinds.add(kind);
      nodes.set(name, node);
      return node;
    });
    from.next.push(to);
    to.before.push(from);
  }
  const all = [...nodes.values()];
  const reach = (/** @type {GraphNode[]} */ from) => {
    let front = from;
    for (let column = 0; front.length; column += 1) {
      for (const node of front) node.column = column;
      front = [...new Set(front.flatMap((node) => node.next))].filter((node) => node.column < 0);
    }
  };
  reach(all.filter((node) => node.before.every((source) => source === node)));
  for (const node of all) if (node.column < 0) reach([node]); // what only a cycle leads to
  /** @type {GraphNode[][]} */
  const columns = [];
  for (const node of all) (columns[node.column] ??= []).push(node);
  giveThemPlaces(columns);
  return all;
}

const ROW_HEIGHT = 40;
const EDGE_SPACE = 92;

/** Give each node its place. @param {GraphNode[][]} columns */
function giveThemPlaces(columns) {
  const tallest = Math.max(...columns.map((column) => column.length));
  let left = 4;
  for (const column of columns) {
    const pull = (/** @type {GraphNode} */ node) => { // towards what leads to it, where that has its place
      const placed = node.before.filter((source) => source.y > 0);
      return placed.reduce((sum, source) => sum + source.y, 0) / (placed.length || 1);
    };
    const pulls = new Map(column.map((node) => [node, pull(node)]));
    column.sort((a, b) => Number(pulls.get(a)) - Number(pulls.get(b)));
    const top = ((tallest - column.length) * ROW_HEIGHT) / 2 + ROW_HEIGHT / 2;
    const width = Math.max(...column.map((node) => node.width));
    for (const [row, node] of column.entries()) [node.x, node.y] = [left, top + row * ROW_HEIGHT];
    left += width + EDGE_SPACE;
  }
}

/** @param {ComparedTriplet[]} triplets @param {string} sizes */
function drawing(triplets, sizes) {
  if (!triplets.length) return el("p", { class: "quiet" }, "Both graphs are empty.");
  const all = layout(triplets);
  const width = Math.max(...all.map((node) => node.x + node.width)) + 40;
  const height = Math.max(...all.map((node) => node.y)) + ROW_HEIGHT / 2;
  /** @type {Map<string, number>} */
  const drawn = new Map();
  /** @type {Map<string, string[]>} */
  const into = new Map();
  const nodeOf = (/** @type {string} */ name) => all.find((node) => node.name === name) || all[0];
  const label = `Gold and predicted graph: ${sizes}`;
  const chart = svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    triplets.map(({ triplet: [source, edge, target], kind }) => {
      const pair = JSON.stringify([source, target]);
      const nth = drawn.get(pair) || 0;
      drawn.set(pair, nth + 1);
      const sources = into.get(target) || [];
      if (!sources.includes(source)) sources.push(source);
      into.set(target, sources);
      return edgeDrawing(nodeOf(source), nodeOf(target), edge, kind, nth, LABEL_PLACES[sources.indexOf(source) % 3]);
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

/** @param {GraphNode} source @param {GraphNode} target @param {string} name @param {TripletKind} kind @param {number} nth @param {number} part */
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

/** A coordinate of a cubic curve, a part of the way along it.
 * @param {number} part
 * @param {number} start
 * @param {number} first
 * @param {number} second
 * @param {number} end
 */
function curve(part, start, first, second, end) {
  const rest = 1 - part;
  return rest ** 3 * start + 3 * rest ** 2 * part * first + 3 * rest * part ** 2 * second + part ** 3 * end;
}

/** An arrow's point at x, y: full, hollow for what is missing, a cross for what is wrong.
 * @param {TripletKind} kind
 * @param {number} x
 * @param {number} y
 * @param {number} direction
 */
function arrowHead(kind, x, y, direction) {
  const back = x - 7 * direction;
  const cross = `M${back} ${y - 4}L${x} ${y + 4}M${back} ${y + 4}L${x} ${y - 4}`;
  const point = `M${back} ${y - 4}L${x} ${y}L${back} ${y + 4}Z`;
  return svg("path", { class: `arrow ${kind}`, d: kind === "wrong" ? cross : point });
}
