/* The run's data: unpacked from the page, and what follows from it. */

const VERDICTS = ["correct", "partial", "incorrect", "not measured"];
const UNMEASURED = new Set(["error", "judge_failed", "missing", "not_needed"]);

/** Records of one kind, in blocks that are unpacked when one of them is needed. */
class Records {
  constructor(kind, starts) {
    this.starts = starts;
    this.elements = [...document.querySelectorAll(`script[data-block="${kind}"]`)];
    this.blocks = [];
  }

  block(number) {
    this.blocks[number] ??= unpacked(this.elements[number]);
    return this.blocks[number];
  }

  /** The record of a number; null if there is none. */
  async get(number) {
    if (number === null || number === undefined) return null;
    let block = 0;
    while (block + 1 < this.starts.length && this.starts[block + 1] <= number) block += 1;
    return (await this.block(block))[number - this.starts[block]];
  }
}

/** What a comparison of two models says of the first: by how much it is ahead, and what that shows. */
function signedComparison(found, sign) {
  const ci95 = found.ci95 && found.ci95.map((bound) => sign * bound).toSorted((a, b) => a - b);
  const opposite = { better: "worse", worse: "better" };
  const shows = found.verdict in opposite ? (sign > 0 ? found.verdict : opposite[found.verdict]) : "none";
  const lead = isNumber(found.difference) ? sign * found.difference : null;
  return { lead, ci95, shows, p: found.p_holm ?? found.p, detectable: found.detectable };
}

/** Everything the page is drawn from. A case is {set, place}: a task and model, and where in its lists. */
class Run {
  constructor(data) {
    this.report = data.report;
    this.statuses = data.statuses;
    this.samples = new Map(data.samples.map((samples) => [samples.task, samples]));
    this.sets = data.cases;
    this.tasks = [...this.samples.keys()];
    this.models = [...new Set(this.sets.map((set) => set.model))];
    this.texts = new Records("samples", data.starts.samples);
    this.answers = new Records("answers", data.starts.answers);
    this.media = new Records("media", data.starts.media);
    this.former = data.former && { numbers: data.former.numbers, records: new Records("former", data.former.starts) };
    this.mediaLeftOut = data.media_left_out;
    this.sets.forEach((set, number) => { set.report = this.report.tasks[number]; });
    this.cases = this.sets.flatMap((set) => set.samples.map((_, place) => ({ set, place })));
  }

  setOf(task, model) { return this.sets.find((set) => set.task === task && set.model === model); }

  setsOf(task) { return this.sets.filter((set) => set.task === task); }

  status(one) { return this.statuses[one.set.status[one.place]]; }

  epoch(one) { return one.set.epochs ? one.set.epochs[one.place] : 1; }

  sampleId(one) { return this.samples.get(one.set.task).ids[one.set.samples[one.place]]; }

  score(one, family, metric = one.set.metrics[0]) { return one.set[family][metric][one.place]; }

  /** As the terminal says it, but that a case without a measurement is not called wrong. */
  verdict(one) {
    if (UNMEASURED.has(this.status(one))) return "not measured";
    const sign = one.set.scale[0] > one.set.scale[1] ? -1 : 1; // less is better where the worst value is the larger one
    const value = sign * this.score(one, "strict"), [worst, best] = one.set.scale.map((end) => sign * end);
    if (value >= best) return "correct";
    return this.status(one) === "scored" && value > worst ? "partial" : "incorrect";
  }

  tag(one, name) {
    const tag = this.samples.get(one.set.task).tags[name];
    const number = tag ? tag.of[one.set.samples[one.place]] : -1;
    return number < 0 ? null : tag.values[number];
  }

  tags(one) {
    return Object.fromEntries(Object.keys(this.samples.get(one.set.task).tags)
      .map((name) => [name, this.tag(one, name)]).filter(([, value]) => value !== null));
  }

  sampleText(one) { return this.texts.get(this.samples.get(one.set.task).texts[one.set.samples[one.place]]); }

  /** What the baseline has of a sample that flipped: the number is that of the comparison. */
  formerAnswer(number, id) { return this.former ? this.former.records.get(this.former.numbers[number][id]) : null; }

  answer(one) { return this.answers.get(one.set.answers[one.place]); }

  /** All cases about a case's sample: those of other models, and other epochs. */
  besides(one) {
    const id = this.sampleId(one);
    return this.cases.filter((other) => other.set.task === one.set.task && this.sampleId(other) === id);
  }

  /** The paired comparison of two models' headline scores, first minus second; null where the report has none. */
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
