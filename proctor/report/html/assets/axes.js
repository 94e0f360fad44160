/* Where numbers stand: axes, their ticks, and bins. */

import { isNumber } from "./numbers.js";

/** The lowest and the highest of numbers, of which there may be more than a call takes arguments.
 * @param {number[]} values
 * @returns {[number, number]}
 */
export function extent(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    /** @type {[number, number]} */ ([Infinity, -Infinity]));
}

/** Round numbers that cover from 0 (or below) to the highest value.
 * @param {(number | null)[]} values
 * @returns {Axis}
 */
export function axisOf(values) {
  const [low, high] = extent([0, ...values.filter(isNumber)]);
  if (low >= 0 && high <= 1 && high > 0.2) return [0, 1, 0.25];
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / 3));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 4.5) || span;
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step || step, step];
}

/** The numbers that an axis is marked at. @param {Axis} axis */
export function ticks([low, high, step]) {
  const found = [];
  for (let number = 0; low + number * step <= high + step / 1000; number += 1) found.push(low + number * step);
  return found;
}

/** Where on a drawing a value stands whose axis reaches from one place to another.
 * @param {readonly number[]} axis Its lowest value, and its highest.
 * @param {number} from
 * @param {number} to
 * @returns {(value: number) => number}
 */
export function placedOn([low, high], from, to) {
  return (value) => from + ((value - low) / (high - low || 1)) * (to - from);
}

const MOST_BINS = 20;

/** Into which bins values are counted: one for each grade where all are grades, of tenths or of whole or half points;
 * else tenths of an axis, the last of which holds its end too.
 *
 * @param {number[]} values All values, of all models.
 * @param {Scale} scale
 * @returns {Bins}
 */
export function binsOf(values, [worst, best]) {
  const [low, high] = extent([worst, best, ...values]);
  for (const step of high - low <= 1 ? [0.1] : [1, 0.5]) {
    const size = Math.round((high - low) / step) + 1;
    const isGrade = (/** @type {number} */ value) => Math.abs((value - low) / step - Math.round((value - low) / step)) < 1e-6;
    if (size > MOST_BINS || ![...values, high].every(isGrade)) continue;
    const every = Math.ceil((high - low) / step / 5) * step; // about five ticks, at grades
    return { axis: [low, high, every], from: low - step / 2, size: step, count: size, grades: true };
  }
  const axis = axisOf(values);
  return { axis, from: axis[0], size: (axis[1] - axis[0]) / 10, count: 10, grades: false };
}

/** How many values fall into each bin. @param {number[]} values @param {Bins} bins */
export function counted(values, bins) {
  /** @type {number[]} */
  const sizes = Array(bins.count).fill(0);
  // Half of a millionth is added for 0.3 / 0.1, which is a little less than 3.
  for (const value of values) sizes[Math.min(bins.count - 1, Math.floor((value - bins.from) / bins.size + 5e-7))] += 1;
  return sizes;
}
