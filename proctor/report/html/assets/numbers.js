/* Numbers as the page writes them. */

const NONE = "–";
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

function isNumber(value) { return typeof value === "number" && Number.isFinite(value); }

function count(value) { return isNumber(value) ? grouped.format(value) : NONE; }

/** Whether scores have two decimals and not four: see _base/figures.py. */
function isLarge(scale, value) {
  return !scale || scale[0] > scale[1] ? Math.abs(value) >= 10 : Math.max(...scale.map(Math.abs)) > 10;
}

/** A score on a scale, its worst value and its best: as many decimals as everywhere else; true minus sign. */
function score(value, { signed = false, scale = null } = {}) {
  return isNumber(value) ? inDigits(value, signed, isLarge(scale, value) ? 2 : 4) : NONE;
}

function inDigits(value, signed, decimals) {
  const text = Math.abs(value).toFixed(decimals);
  if (value < 0 && Number(text) !== 0) return "\u2212" + text;
  return signed ? "+" + text : text;
}

/** The score of an estimate, and its standard deviation over epochs if there are several. */
function scoreWithSpread({ value, epochs }, scale = null) {
  return score(value, { scale }) + (isNumber(epochs?.sd) ? ` ±${score(epochs.sd, { scale })}` : "");
}

/** A 95 % interval: a decimal less than scores. */
function interval(ci95, { signed = false, scale = null } = {}) {
  if (!ci95) return "";
  const decimals = isLarge(scale, 0) ? 1 : 3;
  return `[${ci95.map((bound) => inDigits(bound, signed, decimals)).join(", ")}]`;
}

/** On what scale a metric is, and in which direction it gets better. */
function scaleInWords([worst, best]) {
  return worst > best ? `lower is better, ${tickText(worst)} is the worst`
    : `${tickText(worst)} to ${tickText(best)}, higher is better`;
}

function dollars(value) {
  if (!isNumber(value)) return "unknown";
  return "$" + value.toFixed(value === 0 || value >= 1 ? 2 : value >= 0.01 ? 4 : 6);
}

/** What answers cost, told apart by when: spent by the run, and then, when replayed answers were recorded. */
function dollarsThen({ cost_usd: cost, spent_usd: spent }) {
  if (!isNumber(cost) || !isNumber(spent) || cost - spent <= cost * 1e-9) return dollars(cost);
  return (spent === 0 ? "" : `${dollars(spent)} + `) + `${dollars(cost - spent)} then`;
}

function seconds(value) {
  if (!isNumber(value)) return NONE;
  return (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)) + " s";
}

function probability(value) {
  if (!isNumber(value)) return "";
  return value < 0.001 ? "p < 0.001" : `p = ${value > 0.999 ? 1 : value.toFixed(3)}`;
}

function moment(iso) {
  return iso ? iso.slice(0, 10) + " " + iso.slice(11, 16) + " UTC" : NONE;
}

function words(name) { return plain(name).replaceAll("_", " "); }

/** The lowest and the highest of numbers, of which there may be more than a call takes arguments. */
function extent(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** Round numbers that cover from 0 (or below) to the highest value: [low, high, step]. */
function axisOf(values) {
  const [low, high] = extent([0, ...values.filter(isNumber)]);
  if (low >= 0 && high <= 1 && high > 0.2) return [0, 1, 0.25];
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / 3));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 4.5) || span;
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step || step, step];
}

function ticks([low, high, step]) {
  const found = [];
  for (let number = 0; low + number * step <= high + step / 1000; number += 1) found.push(low + number * step);
  return found;
}

function tickText(value) { return String(Number(value.toPrecision(6))).replace("-", "\u2212"); }
