/** One figure of a bench: what was measured, against what, and the ratio for the goal. */
export type Row = {
  what: string
  /** Median of our runs, with unit. */
  ours: string
  /** The comparison and its median, with unit. */
  against: string
  /** ours ÷ theirs (or theirs ÷ ours if less is better), medians of the pairs run by run. */
  ratio: number | undefined
  /** The goal, such as `≥ 0.6`; a bound on the ratio or on our own figure. */
  goal: string
  reached: boolean | undefined
}

export type Bench = {
  name: string
  /** One line for the table of contents. */
  about: string
  run(options: BenchOptions): Promise<Row[]>
}

export type BenchOptions = {
  /** Scratch folder on the measured disk; removed afterwards. */
  scratch: string
  /** Runs of each side, alternating. */
  runs: number
  /** Size of the large file in bytes. */
  largeBytes: number
  /** Another installed checkout of the project to compare with. */
  against: string | undefined
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Median of the ratios of paired runs: more stable on a noisy machine than the ratio of medians. */
export function pairedRatio(above: number[], below: number[]): number {
  return median(above.map((value, i) => value / (below[i] ?? Number.NaN)))
}

/** Compares two sides timed in the same rounds; ratio > 1 means ours was faster. */
export function speedRow(options: {
  what: string
  oursMs: number[]
  against: string
  theirsMs: number[]
  minRatio: number
  amount: number
  unit: string
}): Row {
  const ratio = pairedRatio(options.theirsMs, options.oursMs)
  const rate = (ms: number[]) => `${formatNumber((options.amount / median(ms)) * 1000)} ${options.unit}/s`
  return {
    what: options.what,
    ours: rate(options.oursMs),
    against: `${options.against}: ${rate(options.theirsMs)}`,
    ratio,
    goal: `≥ ${options.minRatio}`,
    reached: ratio >= options.minRatio,
  }
}

export function formatNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toPrecision(3)
}

export function formatRows(rows: Row[]): string {
  const lines = ['| what | ours | against | ratio | goal | reached |', '|---|---|---|---|---|---|']
  for (const row of rows) {
    const reached = row.reached === undefined ? '–' : row.reached ? 'yes' : '**no**'
    lines.push(
      `| ${row.what} | ${row.ours} | ${row.against} | ${row.ratio === undefined ? '–' : row.ratio.toFixed(2)} | ${row.goal} | ${reached} |`,
    )
  }
  return lines.join('\n')
}
