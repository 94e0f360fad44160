/* Finding cases: by their fields, by whether models disagree about them, and by their text. */

const FILTERS = ["task", "model", "status", "verdict", "tag", "agreement", "q", "sort", "page"];
const AGREEMENTS = {
  disagree: "models disagree",
  none: "no model correct",
  all: "all models correct",
};

const SORTS = {
  task: (one) => run.tasks.indexOf(one.set.task),
  sample: (one) => one.set.samples[one.place],
  model: (one) => run.models.indexOf(one.set.model),
  status: (one) => one.set.status[one.place],
  verdict: (one) => VERDICTS.indexOf(run.verdict(one)),
  strict: (one) => run.score(one, "strict"),
  official: (one) => run.score(one, "official"),
  input_tokens: (one) => one.set.input_tokens[one.place],
  output_tokens: (one) => one.set.output_tokens[one.place],
  cost: (one) => one.set.cost_usd[one.place],
  latency: (one) => one.set.latency_s[one.place],
};

/** The address of the list of cases with these filters. */
function listHash(filters) {
  const query = new URLSearchParams(FILTERS.filter((name) => filters[name]).map((name) => [name, filters[name]]));
  return "#/cases" + (query.size ? "?" + query : "");
}

function filtersOf(query) {
  const given = new URLSearchParams(query);
  return Object.fromEntries(FILTERS.map((name) => [name, given.get(name) || ""]));
}

/** The address of a case. */
function caseAddress(task, sample, model, epoch = 1) {
  return "#/case/" + [task, sample, model, ...(epoch > 1 ? [epoch] : [])].map(encodeURIComponent).join("/");
}

function caseHash(one) { return caseAddress(one.set.task, run.sampleId(one), one.set.model, run.epoch(one)); }

/** How the models did on each sample: for each task a list of sets of verdicts. */
const verdictsBySample = () => {
  const found = new Map(run.tasks.map((task) => [task, run.samples.get(task).ids.map(() => new Set())]));
  for (const one of run.cases) {
    const verdict = run.verdict(one);
    if (verdict !== "not measured") found.get(one.set.task)[one.set.samples[one.place]].add(verdict);
  }
  return found;
};

function agreement(one) {
  view.verdicts ??= verdictsBySample();
  const verdicts = view.verdicts.get(one.set.task)[one.set.samples[one.place]];
  if (verdicts.size > 1) return verdicts.has("correct") ? "disagree" : "disagree none";
  return verdicts.has("correct") ? "all" : "none";
}

/** The cases that pass the filters, sorted. Filters by text unpack all blocks, the first time. */
async function findCases(filters) {
  const [tagName, ...tagValue] = filters.tag.split("=");
  const wanted = filters.q ? await search(filters.q.toLowerCase()) : null;
  const found = run.cases.filter((one) => (!filters.task || one.set.task === filters.task)
    && (!filters.model || one.set.model === filters.model)
    && (!filters.status || run.status(one) === filters.status)
    && (!filters.verdict || run.verdict(one) === filters.verdict)
    && (!filters.tag || run.tag(one, tagName) === tagValue.join("="))
    && (!filters.agreement || agreement(one).split(" ").includes(filters.agreement))
    && (!wanted || wanted(one)));
  return sorted(found, filters.sort);
}

function sorted(cases, sort) {
  const down = sort.startsWith("-");
  const key = SORTS[down ? sort.slice(1) : sort];
  if (!key) return cases;
  const keyed = cases.map((one) => [key(one), one]);
  const order = (a, b) => (isNumber(a) ? 0 : 1) - (isNumber(b) ? 0 : 1) || (down ? b - a : a - b) || 0; // unknown ones last
  return keyed.sort((a, b) => order(a[0], b[0])).map((pair) => pair[1]);
}

function strings(value) {
  if (typeof value === "string") return value;
  return value && typeof value === "object" ? Object.values(value).map(strings).join(" ") : "";
}

const SEARCHED = {
  answers: (record) => [record.response_text, record.prediction, record.error, record.evidence, (record.calls || []).map((call) => call.reply)],
  texts: (record) => [record.target, ...[record.prompt ?? ""].flat().map((piece) => piece.name ?? piece)],
};
/** How many of a set's cases have a result whose text is not in the page. */
function cutOf(set) {
  return set.answers.filter((number, place) => number === null && !["missing", "not_needed"].includes(run.statuses[set.status[place]])).length;
}

/** What a search cannot find, in words; nothing where the page has all texts. */
function cutNote() {
  const cut = run.sets.map((set) => [set, cutOf(set)]).filter(([, size]) => size);
  const prompts = [...run.samples.values()].reduce((sum, of) => sum + of.texts.filter((number) => number === null).length, 0);
  if (!cut.length && !prompts) return null;
  const parts = cut.map(([set, size]) => `${plain(set.task)} ${plain(set.model)}: ${count(size)} of ${count(set.answers.length)} answers`);
  if (prompts) parts.push(`${count(prompts)} prompts and gold answers`);
  return `This page was cut to a size that browsers open; not in it, and not searched, are ${parts.join("; ")}. All are in results.jsonl and prompts.jsonl.`;
}

const haystacks = { answers: [], texts: [] };

/** Whether a case's text holds what is searched, as a function of the case. */
async function search(query) {
  const numbers = { answers: new Set(), texts: new Set() };
  for (const [kind, of] of Object.entries(SEARCHED)) {
    const records = run[kind];
    for (let block = 0; block < records.starts.length; block += 1) {
      haystacks[kind][block] ??= (await records.block(block)).map((record) => of(record).map(strings).join("\n").toLowerCase());
      haystacks[kind][block].forEach((text, place) => { if (text.includes(query)) numbers[kind].add(records.starts[block] + place); });
    }
  }
  return (one) => numbers.answers.has(one.set.answers[one.place])
    || numbers.texts.has(run.samples.get(one.set.task).texts[one.set.samples[one.place]])
    || run.sampleId(one).toLowerCase().includes(query);
}
