/* The run's data: unpacked from the page, and what follows from it. */

import { Records } from "./blocks.js";
import { isNumber } from "./numbers.js";
import { verdictOf } from "./verdicts.js";

/** What a comparison of two models says of the first: by how much it is ahead, and what that shows.
 * @param {ComparisonFields} found
 * @param {1 | -1} sign
 * @returns {Lead}
 */
export function signedComparison(found, sign) {
  const [low, high] = found.ci95 ? found.ci95.map((bound) => sign * bound).toSorted((a, b) => a - b) : [0, 0];
  const opposite = { better: "worse", worse: "better" };
  const { verdict } = found;
  const shows = verdict === "better" || verdict === "worse" ? /** @type {Shown} */ (sign > 0 ? verdict : opposite[verdict]) : "none";
  const lead = isNumber(found.difference) ? sign * found.difference : null;
  return { lead, ci95: found.ci95 && [low, high], shows, p: found.p_holm ?? found.p, detectable: found.detectable };
}

/** Everything the page is drawn from. */
class Run {
  /** @type {PageReport} */
  report = Object.create(null);
  /** @type {string[]} */
  statuses = [];
  /** @type {CaseSet[]} */
  sets = [];
  /** @type {string[]} */
  tasks = [];
  /** @type {string[]} */
  models = [];
  /** @type {Case[]} */
  cases = [];
  /** @type {{numbers: Record<string, number | null>[], records: Records<FormerRecord>} | null} */
  former = null;
  mediaLeftOut = 0;
  /** @type {Map<string, SampleSet>} */
  samples = new Map();
  texts = /** @type {Records<SampleRecord>} */ (new Records("samples", []));
  answers = /** @type {Records<AnswerRecord>} */ (new Records("answers", []));
  media = /** @type {Records<MediaRecord>} */ (new Records("media", []));

  /** Take up what the page has. @param {RunData} data */
  take(data) {
    this.report = data.report;
    this.statuses = data.statuses;
    this.samples = new Map(data.samples.map((samples) => [samples.task, samples]));
    this.sets = data.cases.map((columns, number) => ({ ...columns, report: data.report.tasks[number] }));
    this.tasks = [...this.samples.keys()];
    this.models = [...new Set(this.sets.map((set) => set.model))];
    this.texts = new Records("samples", data.starts.samples);
    this.answers = new Records("answers", data.starts.answers);
    this.media = new Records("media", data.starts.media);
    this.former = data.former && { numbers: data.former.numbers, records: new Records("former", data.former.starts) };
    this.mediaLeftOut = data.media_left_out;
    this.cases = this.sets.flatMap((set) => set.samples.map((_, place) => ({ set, place })));
  }

  /** @param {string} task */
  setsOf(task) { return this.sets.filter((set) => set.task === task); }

  /** The samples of a task. @param {string} task */
  samplesOf(task) {
    const found = this.samples.get(task);
    if (!found) throw new Error(`no task ${task}`);
    return found;
  }

  /** @param {Case} one */
  status(one) { return this.statuses[one.set.status[one.place]]; }

  /** @param {Case} one */
  epoch(one) { return one.set.epochs ? one.set.epochs[one.place] : 1; }

  /** @param {Case} one */
  sampleId(one) { return this.samplesOf(one.set.task).ids[one.set.samples[one.place]]; }

  /** @param {Case} one @param {Family} family */
  score(one, family, metric = one.set.metrics[0]) { return one.set[family][metric][one.place]; }

  /** @param {Case} one */
  verdict(one) { return verdictOf(this.status(one), this.score(one, "strict"), one.set.scale); }

  /** @param {Case} one @param {string} name */
  tag(one, name) {
    const tag = this.samplesOf(one.set.task).tags[name];
    const number = tag ? tag.of[one.set.samples[one.place]] : -1;
    return number < 0 ? null : tag.values[number];
  }

  /** A case's tags: each name, and its value. @param {Case} one */
  tags(one) {
    return Object.keys(this.samplesOf(one.set.task).tags).flatMap((name) => {
      const value = this.tag(one, name);
      return value === null ? [] : [{ name, value }];
    });
  }

  /** @param {Case} one */
  sampleText(one) { return this.texts.get(this.samplesOf(one.set.task).texts[one.set.samples[one.place]]); }

  /** What the baseline has of a sample that flipped. @param {number} number That of the comparison. @param {string} id */
  formerAnswer(number, id) { return this.former ? this.former.records.get(this.former.numbers[number][id]) : null; }

  /** @param {Case} one */
  answer(one) { return this.answers.get(one.set.answers[one.place]); }

  /** All cases about a case's sample: those of other models, and other epochs. @param {Case} one */
  besides(one) {
    const id = this.sampleId(one);
    return this.cases.filter((other) => other.set.task === one.set.task && this.sampleId(other) === id);
  }

  /** The paired comparison of two models' headline scores, first minus second; null where the report has none.
   * @param {string} task
   * @param {string} first
   * @param {string} second
   * @param {Family} family
   */
  comparison(task, first, second, family) {
    for (const found of this.report.comparisons || []) {
      if (`${found.benchmark}/${found.task}` !== task || found.family !== family) continue;
      if (found.metric !== this.setsOf(task)[0].metrics[0]) continue;
      // The report has b minus a.
      if (found.b.model === first && found.a.model === second) return signedComparison(found, 1);
      if (found.a.model === first && found.b.model === second) return signedComparison(found, -1);
    }
    return null;
  }
}

export const run = new Run();
