// What the pages' scripts are given, and what they hand one another.

// Elements.
type Listener = (event: any) => unknown;
type Attributes = Record<string, string | number | boolean | null | undefined | Listener>;
type Child = Node | string | number | null | undefined | false | Child[];

// Numbers and charts.
type Span = [start: number, end: number];
type Scale = [worst: number, best: number];
type Axis = [low: number, high: number, step: number];
type Box = { left: number; right: number; top: number; bottom: number };
type PlacedAxis = { axis: Axis; at: (value: number) => number };
type Bins = { axis: Axis; from: number; size: number; count: number; grades: boolean };
type Family = "strict" | "official";
type Verdict = "correct" | "partial" | "incorrect" | "not measured";
type Shown = "better" | "worse" | "none";
type Lead = { lead: number | null; ci95: number[] | null; shows: Shown; p: number | null; detectable: number | null };
type Estimate = { value: number | null; ci95?: number[] | null; n?: number; epochs?: { sd: number | null } };
type Costs = { cost_usd?: number | null; spent_usd?: number | null };
type EstimateLine = { label: string; n: number | string; of: Map<string, Estimate>; scale?: Scale };

// Texts compared.
type Change = { kept: boolean; before: string[]; after: string[] };
type Part = { kept: boolean; text: string };

// Graphs.
type Triplet = string[];
type TripletKind = "matched" | "missing" | "wrong";
type ComparedTriplet = { triplet: Triplet; kind: TripletKind };
type GraphNode = {
  name: string; label: string; width: number; kinds: Set<TripletKind>; next: GraphNode[]; before: GraphNode[];
  column: number; x: number; y: number; // the column is -1 until it is known
};

// A run's page: columns.py and texts.py.
type Confusion = { targets: string[]; predictions: (string | null)[]; counts: number[][] };
type PageTask = Omit<TaskFields, "failures" | "odd_rows" | "unusable_rows"> & {
  rows: { told: string; places: { file: string; line: number; field: string; value: string }[] }[];
};
type PageTable = Omit<TableFields, "rows"> & { rows: (string | { number: string })[][] };
type PageReport = Omit<ReportFields, "tasks" | "tables"> & { tasks: PageTask[]; tables?: PageTable[] };
type SampleSet = {
  task: string; ids: string[]; tags: Record<string, { values: string[]; of: number[] }>; texts: (number | null)[];
};
type Columns = Record<"input_tokens" | "output_tokens" | "cost_usd" | "latency_s", (number | null)[]> & Record<Family, Record<string, (number | null)[]>> & {
  task: string; model: string; test: string | null; metrics: string[]; scale: Scale; samples: number[]; epochs: number[] | null;
  status: number[]; answers: (number | null)[]; confusion: Confusion | null;
};
type CaseSet = Columns & { report: PageTask };
type Case = { set: CaseSet; place: number };
type RunData = {
  report: PageReport; statuses: string[]; samples: SampleSet[]; cases: Columns[]; media_left_out: number;
  starts: { samples: number[]; answers: number[]; media: number[] };
  former: { numbers: Record<string, number | null>[]; starts: number[] } | null;
};
type Medium = { kind: "image" | "video" | "audio"; name: string; sha256: string | null; number?: number; note?: string };
type MediaRecord = { pictures?: string[]; sound?: string; seconds?: number; note?: string };
type Piece = string | Medium;
type Prompt = string | Piece[];
type SampleRecord = { target: unknown; prompt_sha256: string | null; prompt?: Prompt };
type Call = { role: string; key: string; turn?: number; prompt?: string; reply?: string };
type JudgeCall = Call & { reply: string };
type AnswerRecord = {
  response_text?: string; prediction?: unknown; spans?: Span[]; scores?: { official?: { pairs?: Record<string, number>[] } };
  diagnostics?: Record<string, number | null>; evidence?: unknown; error?: string; finish_reason?: string;
  judging?: Record<string, { model: string }>; reasoning_text?: string; seen_text?: string;
  answered_by?: { model: string | null; provider: string | null; fingerprint: string | null }[]; usage?: { reasoning_tokens?: number };
  source?: string; recorded_at?: string; attempts?: number; calls?: Call[]; other_prompt?: boolean; media?: Medium[];
};
type FormerRecord = { answers: SideAnswer[]; prompt: KnownPrompt };

// Two sides: flips.py.
type SideAnswer = {
  epoch: number; status: string; score: number | null; response_text: string | null; prediction: unknown; error: string | null;
};
type KnownPrompt = { sha256: string | null; text: string | null };
type PairRecord = { target: unknown; sides: [SideAnswer[], SideAnswer[]]; prompts: [KnownPrompt, KnownPrompt] };
type FlipKind = "worse" | "better" | "changed";
type Side = { run: string; model: string };
type Pairing = {
  benchmark: string; task: string; a: Side; b: Side; paired: number; data_differs: boolean; unpaired: Record<string, string[]>;
};
type ComparisonData = {
  comparisons: ComparisonFields[]; pairings: Pairing[]; runs: RunFields[]; headlines: string[]; scales: Scale[]; starts: number[];
  cases: Record<FlipKind, { total: number; cases: [sample: string, number: number | null][] }>[];
};

// What the page of a run shows.
type FilterName = "task" | "model" | "status" | "verdict" | "tag" | "agreement" | "q" | "sort" | "page";
type Filters = Record<FilterName, string>;
type View = {
  family: Family; filters: Filters; found: Case[] | null; shownCase: Case | null; route: symbol | null; search: symbol | null;
  verdicts: Map<string, Set<Verdict>[]> | null; backTo: string | null; focusSearch: boolean;
};

// Many runs: many/.
type Measured = { selected: number; in_data: number; expected: number; not_measured: number; scores: Record<string, Estimate> };
type HistoryPoint = Measured & { run: number; whole: boolean; differs: string[] };
type HistoryOf = { task: string; model: string; metric: string; scale: Scale; points: HistoryPoint[] };
type BoardLine = { model: string; run: number; newer: number | null; entry: Measured; differs: string[] };
type Board = { task: string; metric: string; scale: Scale; lines: BoardLine[] };
type RunLine = Costs & {
  id: string; folder: string; link: string; page: string | null; started: string; duration_s: number | null; command: string | null;
  git_commit: string | null; gate: string | null; tasks: string[]; models: string[]; cases: number; not_measured: number;
};
type ManyData = {
  runs: RunLine[]; unfinished: { folder: string; link: string; id: string; started: string; command: string }[];
  others: { folder: string; problem: string }[]; leaderboard: Board[]; histories: HistoryOf[]; server?: boolean;
};

// A run that goes on: running.py.
type RunningTask = {
  task: string; model: string; metric: string; scale: Scale; total: number; done: number; statuses: Record<string, number>;
  not_measured: number; scores: Record<string, Estimate>;
};
type NewAnswer = {
  task: string; model: string; sample_id: string; epoch: number; status: string; score: number | null; scale: Scale; answer: string | null;
  cut: boolean; error: string | null; latency_s: number | null;
};
type RunState = {
  run: { id: string; started: string; command: string | null }; ended: boolean; silent_s: number | null; total: number; done: number; behind: number;
  not_measured: number; in_flight: number | null; retries: number | null; waiting: number | null; given_up: Record<string, string>;
  spent: number; unpriced: number; unread: number; tasks: RunningTask[]; newest: NewAnswer[];
};
type RunOf = (point: HistoryPoint) => { href: string | null; date: string };

type Bound = "at_least" | "at_most" | "shown_at_least" | "shown_at_most" | "shown_below" | "shown_above";
type MatrixRow = { sample: number; columns: Case[][]; apart: number | null };
type ProgramTest = { stdout: string; stderr?: string; judgment?: unknown; reason?: unknown; stopped?: unknown; exit_code?: unknown };
type Votes = Record<string, Record<string, Record<string, unknown>>>;
type Column = [key: string | null, title: string];
