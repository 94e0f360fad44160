/* Numbers as the page writes them. */

export const NONE = "–";
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** @param {unknown} value @returns {value is number} */
export function isNumber(value) { return typeof value === "number" && Number.isFinite(value); }

/** @param {unknown} value */
export function count(value) { return isNumber(value) ? grouped.format(value) : NONE; }

/** Whether scores have two decimals and not four: see _base/figures.py. @param {Scale | null | undefined} scale @param {number} value */
function isLarge(scale, value) {
  return !scale || scale[0] > scale[1] ? Math.abs(value) >= 10 : Math.max(...scale.map(Math.abs)) > 10;
}

/** A score on a scale: as many decimals as everywhere else; true minus sign.
 * @param {number | null | undefined} value
 * @param {{signed?: boolean, scale?: Scale | null}} as
 */
export function score(value, { signed = false, scale = null } = {}) {
  return isNumber(value) ? inDigits(value, signed, isLarge(scale, value) ? 2 : 4) : NONE;
}

/** @param {number} value @param {boolean} signed @param {number} decimals */
function inDigits(value, signed, decimals) {
  const text = Math.abs(value).toFixed(decimals);
  if (value < 0 && Number(text) !== 0) return "\u2212" + text;
  return signed ? "+" + text : text;
}

/** The score of an estimate, and its standard deviation over epochs if there are several.
 * @param {Estimate} estimate
 * @param {Scale | null | undefined} scale
 */
export function scoreWithSpread({ value, epochs }, scale = null) {
  return score(value, { scale }) + (isNumber(epochs?.sd) ? ` ±${score(epochs.sd, { scale })}` : "");
}

/** A 95 % interval: a decimal less than scores.
 * @param {number[] | null | undefined} ci95
 * @param {{signed?: boolean, scale?: Scale | null}} as
 */
export function interval(ci95, { signed = false, scale = null } = {}) {
  if (!ci95) return "";
  const decimals = isLarge(scale, 0) ? 1 : 3;
  return `[${ci95.map((bound) => inDigits(bound, signed, decimals)).join(", ")}]`;
}

/** On what scale a metric is, and in which direction it gets better. @param {Scale} scale */
export function scaleInWords([worst, best]) {
  return worst > best ? `lower is better, ${tickText(worst)} is the worst`
    : `${tickText(worst)} to ${tickText(best)}, higher is better`;
}

/** @param {number | null | undefined} value */
export function dollars(value) {
  if (!isNumber(value)) return "unknown";
  return "$" + value.toFixed(value === 0 || value >= 1 ? 2 : value >= 0.01 ? 4 : 6);
}

/** What answers cost, told apart by when: spent by the run, and then, when replayed answers were recorded. @param {Costs} costs */
export function dollarsThen({ cost_usd: cost, spent_usd: spent }) {
  if (!isNumber(cost) || !isNumber(spent) || cost - spent <= cost * 1e-9) return dollars(cost);
  return (spent === 0 ? "" : `${dollars(spent)} + `) + `${dollars(cost - spent)} then`;
}

/** @param {number | null | undefined} value */
export function seconds(value) {
  if (!isNumber(value)) return NONE;
  return (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)) + " s";
}

/** @param {number | null | undefined} value */
export function probability(value) {
  if (!isNumber(value)) return "";
  return value < 0.001 ? "p < 0.001" : `p = ${value > 0.999 ? 1 : value.toFixed(3)}`;
}

/** A moment to the minute. @param {string | null | undefined} iso */
export function moment(iso) {
  return iso ? iso.slice(0, 10) + " " + iso.slice(11, 16) + " UTC" : NONE;
}

/** A number in as few digits as tell it. @param {number} value */
export function tickText(value) { return String(Number(value.toPrecision(6))).replace("-", "\u2212"); }
