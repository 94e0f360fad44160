/* Cases that flipped against the baseline: what was answered then, and what is now. */

const FLIPS_AT_ONCE = 5;

/** Cases that flipped, for worse and for better, with both answers; null where the run has no baseline. */
function flipSections(gate) {
  return gate.against_baseline.map((entry, number) => {
    const task = `${entry.benchmark}/${entry.task}`;
    const kinds = [["Worse", entry.lost], ["Better", entry.won]].filter(([, ids]) => ids.length);
    return kinds.length ? el("section", { class: "flips", "data-task": task, "data-model": entry.b.model },
      el("h3", {}, "Flipped: ", taskLink(task), " ", modelName(entry.b.model)),
      kinds.map(([word, ids]) => flipList(`${word} than before: ${count(ids.length)}`, ids, entry, number))) : null;
  });
}

function flipList(label, ids, entry, number) {
  const box = el("div", {});
  const more = el("button", { type: "button" }, "More");
  let shownSoFar = 0;
  const grow = async () => {
    const next = ids.slice(shownSoFar, shownSoFar + FLIPS_AT_ONCE);
    shownSoFar += next.length;
    more.hidden = shownSoFar >= ids.length;
    more.textContent = `Show ${Math.min(FLIPS_AT_ONCE, ids.length - shownSoFar)} more of ${count(ids.length)}`;
    box.append(...await Promise.all(next.map((id) => flipArticle(id, entry, number))));
  };
  more.addEventListener("click", grow);
  const list = el("details", {}, el("summary", {}, label), box, more);
  list.addEventListener("toggle", () => { if (list.open && !shownSoFar) grow(); });
  return list;
}

async function flipArticle(id, entry, number) {
  const task = `${entry.benchmark}/${entry.task}`, model = entry.b.model;
  const ones = run.cases.filter((one) => one.set.task === task && one.set.model === model && run.sampleId(one) === id);
  const now = await Promise.all(ones.map(async (one) => {
    const answer = await run.answer(one);
    return { epoch: run.epoch(one), status: run.status(one), score: run.score(one, "strict"), prediction: answer?.prediction ?? null,
      response_text: answer?.response_text ?? null, error: answer?.error ?? null };
  }));
  const former = await run.formerAnswer(number, id);
  const sample = ones.length ? await run.sampleText(ones[0]) : null;
  const labels = ["Before", "Now"];
  return el("article", { class: "flip", "data-sample": id }, el("h4", {}, el("a", { href: caseAddress(task, id, model) }, plain(id, 80))),
    former ? flipPrompt(former.prompt, sample) : null,
    former ? answersBeside(former.answers, now, labels, ones[0].set.scale)
      : el("p", { class: "quiet" }, "The former answer is not in this page: the baseline's rows were not at hand, or there was no room."));
}

/** The prompt's difference, where both are known. */
function flipPrompt(before, sample) {
  if (typeof before.text === "string" && typeof sample?.prompt === "string") {
    return before.text === sample.prompt ? el("p", { class: "quiet" }, "The prompt is the same.") : el("div", {}, el("h5", {}, "Prompt"), sideBySide(before.text, sample.prompt, ["Before", "Now"]));
  }
  return before.sha256 && sample?.prompt_sha256 ? el("p", { class: "quiet" }, before.sha256 === sample.prompt_sha256 ? "The prompt is the same." : "The prompt is another one.") : null;
}
