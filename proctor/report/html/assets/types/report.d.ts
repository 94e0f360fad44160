// The types of report.json, made by `python -m scripts.page_types`; a test keeps them current.

interface ReportFields {
  schema_version: number;
  run: RunFields;
  tasks: TaskFields[];
  composites: CompositeFields[];
  comparisons: ComparisonFields[];
  ranks: RanksFields[];
  suspects: SuspectFields[];
  tables?: TableFields[];
  published?: PublishedFields[];
  gate?: GateFields;
  notes?: string[];
}

interface RunFields {
  id: string;
  started: string;
  command: string;
  git_commit: string | null;
  versions: Record<string, string | null>;
  machine?: Record<string, any>;
  models?: string[];
  left_out?: LeftOutFields[];
  shard?: string;
  merged?: any[];
  rescored?: Record<string, any>;
  duration_s?: number | null;
}

interface LeftOutFields {
  task: string;
  model: string;
  why: string;
}

interface TaskFields {
  benchmark: string;
  task: string;
  model: string;
  model_api_id: string;
  expected: number;
  status: Record<string, number>;
  failures: Record<string, string[]>;
  not_measured: NotMeasuredFields;
  scales: Record<string, number[]>;
  metrics: Record<string, Record<string, EstimateFields>>;
  diagnostics: Record<string, EstimateFields>;
  by_tag: Record<string, Record<string, TagFields>>;
  usage: TokenFields;
  cost_usd: number | null;
  spent_usd: number | null;
  latency_s: LatencyFields;
  repetitions?: RepetitionFields;
  judging: Record<string, JudgingFields>;
  answered_by: AnsweredByFields[];
  data_file: string;
  data_sha256: string;
  data_notes: string[];
  odd_rows: any[];
  unusable_rows: any[];
  responses: any;
  prompt_sha256: Record<string, string>;
  scorer_sha256: string;
  cases_sha256: string;
  role_models: Record<string, string>;
  scale: number[];
  samples: SamplesFields;
  cassette: CassetteFields;
  published?: PublishedTaskFields;
}

interface NotMeasuredFields {
  cases: number;
  because: ReasonFields[];
}

interface ReasonFields {
  status: string;
  told: string;
  cases: number;
}

interface EstimateFields {
  value: number | null;
  se: number | null;
  ci95: number[] | null;
  n: number;
  clusters: number;
  epochs?: SpreadFields;
  sensitivity?: SensitivityFields;
}

interface SpreadFields {
  values: (number | null)[];
  sd: number | null;
}

interface SensitivityFields {
  scored_only: CountFields;
  official: CountFields;
}

interface CountFields {
  value: number | null;
  n: number;
}

interface TagFields {
  expected: number;
  metrics: Record<string, Record<string, EstimateFields>>;
}

interface TokenFields {
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens?: number | null;
}

interface LatencyFields {
  p50: number | null;
  p95: number | null;
}

interface RepetitionFields {
  metric: string;
  epochs: number;
  pass_at: Record<string, RepeatedFields>;
  pass_all: Record<string, RepeatedFields>;
  majority: RepeatedFields;
  variance: VarianceFields;
}

interface RepeatedFields {
  value: number | null;
  se: number | null;
  ci95: number[] | null;
  n: number;
  clusters: number;
  left_out: number;
  reason?: string;
}

interface VarianceFields {
  within: number | null;
  between: number | null;
}

interface JudgingFields {
  model: string;
  prescribed: string | null;
  as_prescribed: boolean | null;
  calls: number;
  cases: number;
  usage: TokenFields;
  cost_usd: number | null;
  spent_usd: number | null;
}

interface AnsweredByFields {
  role: string;
  model: string | null;
  provider: string | null;
  fingerprint: string | null;
  cases: number;
  asked_for: boolean | null;
}

interface SamplesFields {
  selected: number;
  in_data: number;
}

interface CassetteFields {
  file: string | null;
  recorded: number;
  first: string | null;
  last: string | null;
  stale?: string[] | null;
  unused?: string[] | null;
  pruned?: number | null;
}

interface PublishedTaskFields {
  compares: boolean;
  differs: string[];
}

interface CompositeFields {
  name: string;
  model: string;
  tasks: string[];
  missing?: string[];
  official: CompositeEstimateFields;
  strict: CompositeEstimateFields;
}

interface CompositeEstimateFields {
  value: number | null;
  se: number | null;
  ci95: number[] | null;
}

interface ComparisonFields {
  benchmark: string;
  task: string;
  metric: string;
  family: string;
  headline: boolean;
  a: SideFields;
  b: SideFields;
  difference: number | null;
  se: number | null;
  ci95: number[] | null;
  p: number | null;
  p_holm: number | null;
  n: number;
  clusters: number;
  a_better: number;
  b_better: number;
  detectable: number | null;
  verdict: string;
}

interface SideFields {
  run: string;
  model: string;
  value: number | null;
}

interface RanksFields {
  benchmark: string;
  task: string;
  metric: string;
  models: RankedFields[];
  best: string[];
}

interface RankedFields {
  model: string;
  rank: number[];
}

interface SuspectFields {
  benchmark: string;
  task: string;
  models: string[];
  all_wrong: string[];
  same_other_answer: SameAnswerFields[];
}

interface SameAnswerFields {
  sample: string;
  prediction: any;
  target: any;
}

interface TableFields {
  benchmark: string;
  task: string;
  title: string;
  columns: string[];
  rows: any[][];
  note: string;
}

interface PublishedFields {
  benchmark: string;
  source: string;
  columns: string[];
  published: any[][];
  own: OwnFields[];
}

interface OwnFields {
  model: string;
  values: (number | null)[];
  differs: string[];
}

interface GateFields {
  file: string | null;
  baseline: string | null;
  holds: boolean | null;
  unmeasured: number;
  floors: FloorFields[];
  suite: any;
  decision: any;
  against_baseline: AgainstFields[];
}

interface FloorFields {
  task: string;
  model: string;
  metric: string;
  family: string;
  value: number | null;
  ci95: number[] | null;
  bound: string;
  holds: boolean | null;
  at_least?: number;
  at_most?: number;
  shown_at_least?: number;
  shown_at_most?: number;
  shown_below?: number;
  shown_above?: number;
}

interface AgainstFields {
  benchmark: string;
  task: string;
  metric: string;
  family: string;
  headline: boolean;
  a: SideFields;
  b: SideFields;
  difference: number | null;
  se: number | null;
  ci95: number[] | null;
  p: number | null;
  p_holm: number | null;
  n: number;
  clusters: number;
  a_better: number;
  b_better: number;
  detectable: number | null;
  verdict: string;
  margin: number;
  p_worse: number | null;
  p_worse_holm: number | null;
  holds: boolean | null;
  less_is_better: boolean;
  lost: string[];
  won: string[];
  unpaired: Record<string, string[]>;
  data_differs: boolean;
}
