/* A model's colour and marker, which it keeps through the whole page. */

import { el, svg } from "./elements.js";
import { plain } from "./text.js";

const SERIES = 8;
/** @type {((radius: number) => string)[]} */
const MARKERS = [
  (r) => `M0 ${-r}A${r} ${r} 0 1 1 0 ${r}A${r} ${r} 0 1 1 0 ${-r}Z`,
  (r) => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  (r) => `M0 ${-1.25 * r}L${1.2 * r} ${0.95 * r}H${-1.2 * r}Z`,
  (r) => `M0 ${-1.35 * r}L${1.35 * r} 0L0 ${1.35 * r}L${-1.35 * r} 0Z`,
  (r) => `M0 ${1.25 * r}L${1.2 * r} ${-0.95 * r}H${-1.2 * r}Z`,
  (r) => `M${-r} ${-r / 3}H${-r / 3}V${-r}H${r / 3}V${-r / 3}H${r}V${r / 3}H${r / 3}V${r}H${-r / 3}V${r / 3}H${-r}Z`,
];

/** @type {string[]} */
let known = [];

/** Say which models the page is about: their order decides how they look. @param {string[]} models */
export function setModels(models) { known = models; }

/** @param {string} model */
export function seriesClass(model) { return `series-${known.indexOf(model) % SERIES}`; }

/** @param {string} model @param {number} x @param {number} y */
export function marker(model, x, y, radius = 4.5) {
  const shape = MARKERS[known.indexOf(model) % MARKERS.length];
  return svg("path", { class: `marker ${seriesClass(model)}`, d: shape(radius), transform: `translate(${x} ${y})` });
}

/** @param {string} model */
function markerImage(model) {
  return svg("svg", { width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true" }, marker(model, 0, 0));
}

/** A model's marker alone, where its name stands beside. @param {string} model */
export function modelMarker(model) {
  return el("span", { title: plain(model) }, markerImage(model), el("span", { class: "unseen" }, plain(model, 80)));
}

/** A model's name with the marker that stands for it. @param {string} model */
export function modelName(model) {
  return el("span", { class: "model" }, markerImage(model), el("bdi", {}, plain(model, 80)));
}

/** Which marker is whose; nothing where there is one model. */
export function legend() {
  return known.length > 1 ? el("ul", { class: "legend" }, known.map((model) => el("li", {}, modelName(model)))) : null;
}
