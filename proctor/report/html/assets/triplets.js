/* Answers that are lists of graphs, each a list of triplets of names. */

/** @type {Record<TripletKind, {mark: string, text: string}>} */
export const KINDS = {
  matched: { mark: "✓", text: "in both" },
  missing: { mark: "○", text: "only in the gold graph" },
  wrong: { mark: "✕", text: "only in the prediction" },
};
export const KIND_NAMES = /** @type {TripletKind[]} */ (Object.keys(KINDS));

/** @param {unknown} value @returns {value is Triplet[][]} */
export function isGraphs(value) {
  return Array.isArray(value) && value.length > 0 && value.every((graph) => Array.isArray(graph) && graph.every(
    (triplet) => Array.isArray(triplet) && triplet.length === 3 && triplet.every((name) => typeof name === "string")));
}

/** The distinct triplets of a gold and a predicted graph, each as matched, missing or wrong.
 * @param {Triplet[]} gold
 * @param {Triplet[]} predicted
 * @returns {ComparedTriplet[]}
 */
export function comparedTriplets(gold, predicted) {
  const keys = (/** @type {Triplet[]} */ graph) => new Map(graph.map((triplet) => [JSON.stringify(triplet), triplet]));
  const [wanted, found] = [keys(gold), keys(predicted)];
  const kindOf = (/** @type {string} */ key) => wanted.has(key) ? (found.has(key) ? "matched" : "missing") : "wrong";
  return [...new Map([...wanted, ...found])].map(([key, triplet]) => ({ triplet, kind: kindOf(key) }));
}

/** How many of all graphs, paired by position, are of each kind. @param {Triplet[][]} gold @param {Triplet[][]} predicted */
export function tripletCounts(gold, predicted) {
  const places = Array.from({ length: Math.max(gold.length, predicted.length) }, (_, place) => place);
  return countedKinds(places.flatMap((place) => comparedTriplets(gold[place] || [], predicted[place] || [])));
}

/** @param {ComparedTriplet[]} triplets @returns {Record<TripletKind, number>} */
export function countedKinds(triplets) {
  const counts = { matched: 0, missing: 0, wrong: 0 };
  for (const { kind } of triplets) counts[kind] += 1;
  return counts;
}
