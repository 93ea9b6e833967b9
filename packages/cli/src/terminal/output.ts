import { formatBytes } from '@cairn/protocol'
import type { CairnError, OnProgress, Progress } from '@cairn/sdk'
import { describeDetails } from '../text/describe-details.ts'
import { formatDuration } from '../text/sizes.ts'
import { toJsonLine } from '../text/times.ts'
import type { Sink } from './streams.ts'

/**
 * The output of a command: results to standard output, everything else to standard error. No other module in this
 * package prints.
 */
export type Output = {
  readonly isJson: boolean
  /** Whether each result is a single value. */
  readonly isQuiet: boolean
  /**
   * Prints a result: an object for programs, one or several lines for people. A line break within a line is escaped.
   * @param value the single value that `--quiet` prints. Defaults to the text
   */
  result(json: unknown, text: Lines | (() => Lines), value?: string): void
  /** Prints one line that is not a result. */
  note(text: string): void
  /** Prints what happened with the code of the error, then what to do and the details. */
  error(error: Pick<CairnError, 'message' | 'hint' | 'code' | 'details' | 'toJSON'> | Error): void
  /**
   * Prints rows for people, one JSON line per row for programs.
   * @param valueColumn the column that `--quiet` prints, without its title. Defaults to the first
   */
  table(
    columns: readonly string[],
    rows: readonly (readonly string[])[],
    json: readonly unknown[],
    valueColumn?: string,
  ): void
  /** Runs a transfer with a progress line, and passes the options that report to it. */
  withProgress<T>(label: string, run: (options: ProgressOptions) => Promise<T>): Promise<T>
  write(bytes: Uint8Array): Promise<void>
}

/** Options of a transfer that report its progress; empty if the output is not visible. */
export type ProgressOptions = { onProgress?: OnProgress }

/** Returns a function that reports bytes of a transfer whose speed is not measured. */
export function reportBytes(
  { onProgress }: ProgressOptions,
  phase: Progress['phase'],
  total?: number,
): (bytes: number) => void {
  return (bytes) => onProgress?.({ phase, bytes, total, bytesPerSecond: 0, remainingMs: undefined })
}

/** One line, or several. */
type Lines = string | readonly string[]

export type OutputOptions = {
  stdout: Sink
  stderr: Sink
  json: boolean
  quiet: boolean
  color: boolean
  /** Shortens the text of an error. */
  cut?: (text: string) => string
}

export function createOutput({ stdout, stderr, json, quiet, color, cut: cutError }: OutputOptions): Output {
  const shorten = (text: string) => clean(cutError?.(text) ?? text)
  const paint = (code: number, text: string) => (color && stderr.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    isJson: json,
    isQuiet: quiet && !json,
    result(facts, text, value) {
      const lines = (): Lines => (quiet ? value : undefined) ?? (typeof text === 'function' ? text() : text)
      stdout.write(json ? `${clean(toJsonLine(facts))}\n` : `${cleanLines(lines())}\n`)
    },
    note(text) {
      if (!quiet && !json) stderr.write(`${clean(text)}\n`)
    },
    error(error) {
      if (json) {
        const body = { error: 'toJSON' in error ? error.toJSON() : { code: 'INTERNAL', message: error.message } }
        stderr.write(`${shorten(toJsonLine(body))}\n`)
        return
      }
      const code = 'code' in error ? error.code : 'INTERNAL'
      stderr.write(`${paint(31, 'error:')} ${shorten(error.message)} ${paint(2, `[${clean(code)}]`)}\n`)
      if ('hint' in error && error.hint !== '') stderr.write(`${paint(2, shorten(error.hint))}\n`)
      if ('details' in error) for (const line of describeDetails(error.details)) stderr.write(`${shorten(line)}\n`)
    },
    table(columns, rows, values, valueColumn) {
      const shown = Math.max(0, columns.indexOf(valueColumn ?? ''))
      if (json) for (const value of values) stdout.write(`${clean(toJsonLine(value))}\n`)
      else if (quiet) for (const row of rows) stdout.write(`${clean(row[shown] ?? '')}\n`)
      else if (rows.length > 0)
        stdout.write(`${formatTable(columns, rows, stdout.isTTY ? columnsOf(stdout) : undefined)}\n`)
    },
    async withProgress(label, run) {
      if (quiet || json || !stderr.isTTY) return run({})
      const showLine = (line: string) => stderr.write(`\r\u001b[K${line}`)
      try {
        return await run({
          onProgress: (progress) => showLine(progressLine(clean(label), progress, columnsOf(stderr))),
        })
      } finally {
        showLine('')
      }
    },
    write: (bytes) =>
      new Promise((resolve, reject) => stdout.write(bytes, (error) => (error ? reject(error) : resolve()))),
  }
}

/** A terminal that does not know its width reports none, or 0. */
function columnsOf({ columns }: Sink): number {
  return columns || 80
}

/** The last column of a table shrinks down to this. */
const minLastWidth = 8

/**
 * Formats columns separated by two spaces; on a terminal the last one shrinks, down to 8 characters, so that values to
 * copy from the others stay whole. On a terminal that is too narrow for that, each value has a line of its own, because the
 * terminal would break the lines of a table anywhere.
 */
export function formatTable(columns: readonly string[], rows: readonly (readonly string[])[], width?: number): string {
  const all = [columns, ...rows].map((row) => row.map(clean))
  // A folder can have more rows than a call takes arguments.
  const widths = columns.map((_column, i) => all.reduce((max, row) => Math.max(max, textWidth(row[i] ?? '')), 0))
  const last = widths.length - 1
  const others = widths.slice(0, last).reduce((sum, one) => sum + one + 2, 0)
  if (width !== undefined) {
    const wanted = Math.min(widths[last] ?? 0, minLastWidth)
    if (last > 0 && others + wanted > width) return formatRecords(all)
    widths[last] = Math.min(widths[last] ?? 0, Math.max(minLastWidth, width - others))
  }
  const cell = (text: string, i: number) => {
    const fitted = cut(text, widths[i] ?? 0)
    return i === columns.length - 1 ? fitted : fitted + ' '.repeat((widths[i] ?? 0) - textWidth(fitted))
  }
  return all.map((row) => row.map(cell).join('  ')).join('\n')
}

function formatRecords([titles = [], ...rows]: readonly (readonly string[])[]): string {
  const width = Math.max(...titles.map(textWidth))
  const line = (value: string, i: number) => {
    const title = titles[i] ?? ''
    return `${title}${' '.repeat(width - textWidth(title))}  ${value}`.trimEnd()
  }
  return rows.map((row) => row.map(line).join('\n')).join('\n\n')
}

/** Returns the terminal columns of a text: East Asian characters and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  let width = 0
  for (const letter of text) {
    if (/\p{M}/u.test(letter)) continue
    width += /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u.test(letter)
      ? 2
      : 1
  }
  return width
}

function cut(text: string, maxWidth: number): string {
  if (textWidth(text) <= maxWidth) return text
  let kept = ''
  let width = 0
  for (const letter of text) {
    width += textWidth(letter)
    if (width > maxWidth - 1) break
    kept += letter
  }
  return `${kept}…`
}

/**
 * Escapes what would move the cursor of a terminal, start a line or change the text direction: names are untrusted. The
 * escapes are those of JSON, so that JSON keeps its value.
 */
export function clean(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu,
    (letter) => shortEscapes[letter] ?? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const shortEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function cleanLines(lines: Lines): string {
  return typeof lines === 'string' ? clean(lines) : lines.map(clean).join('\n')
}

export function progressLine(
  label: string,
  { bytes, total, bytesPerSecond, remainingMs }: Progress,
  width: number,
): string {
  const rate = `${formatBytes(bytesPerSecond)}/s`
  /** Shortens the label rather than the numbers, which change. */
  const fit = (text: string, numbers: string) => cut(text, Math.max(minLastWidth, width - 1 - numbers.length))
  if (total === undefined || total === 0) {
    const numbers = ` ${formatBytes(bytes)}  ${rate}`
    return cut(fit(label, numbers) + numbers, width - 1)
  }
  const part = Math.min(1, bytes / total)
  const left = remainingMs === undefined ? '' : `  ${formatDuration(remainingMs)} left`
  const tail = ` ${String(Math.floor(part * 100)).padStart(3)} %  ${formatBytes(bytes)} of ${formatBytes(total)}  ${rate}${left}`
  const name = `${fit(label, ` ${tail}`)} `
  const barWidth = Math.max(0, Math.min(30, width - 1 - tail.length - textWidth(name) - 2))
  const filled = Math.round(part * barWidth)
  return cut(`${name}${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}${tail}`, width - 1)
}
