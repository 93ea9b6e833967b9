import { parseArgs } from 'node:util'
import { CairnError } from '@cairn/protocol'
import { exitCodeOf, explainFailure } from '../run-service.ts'
import { usageHint, wrongUse } from './wrong-use.ts'

/** Exit code for invalid arguments, as in the command line. */
const usageExitCode = 2

/** Environment of a command. */
export type AdminEnvironment = {
  readonly environment: Record<string, string | undefined>
  write(line: string): void
  complain(line: string): void
  /** Aborts when the operator interrupts the command. Never aborts by default. */
  signal?: AbortSignal
  /** Replaces the line that shows the progress to a person. Nothing is shown by default. */
  showProgress?(text: string): void
}

/** Prints a result: as JSON or as text. */
export type Report = (json: object, text: string) => void

/** Input that every command receives. */
export type ToolInput = {
  readonly environment: AdminEnvironment['environment']
  readonly args: readonly string[]
  readonly isDryRun: boolean
  /** Aborts when the operator interrupts the command. */
  readonly signal: AbortSignal
  readonly report: Report
  /** Shows progress to a person who waits. */
  readonly onProgress: (text: string) => void
  /** Value of an option of the tool. */
  text(option: string): string | undefined
  /** Whether an option of the tool without a value is set. */
  has(option: string): boolean
}

/** A command of a tool. */
export type ToolCommand<Input> = {
  /** Arguments after its name. */
  readonly args: readonly string[]
  readonly about: string
  /** Returns whether it succeeded without findings: exit code 0, otherwise 1. */
  run(input: Input): Promise<boolean>
}

/** A tool of an operator. */
export type AdminTool<Input> = {
  readonly name: string
  /** Every command, in the order of the help. */
  readonly commands: Readonly<Record<string, ToolCommand<Input>>>
  /** Options besides --dry-run and --json: the commands that take it, the placeholder of its value, and its text in the help. */
  readonly options: Readonly<
    Record<string, { readonly commands: readonly string[]; readonly value?: string; readonly about?: string }>
  >
  /** Adds the settings, which are read once the arguments are known to be valid. */
  readInput(given: ToolInput): Input
}

/**
 * Runs one command of a tool.
 * @returns the exit code: 0 success, 1 findings or a failure, 2 invalid arguments, 78 invalid settings
 */
export async function runTool<Input>(
  tool: AdminTool<Input>,
  args: readonly string[],
  place: AdminEnvironment,
): Promise<number> {
  const isJson = args.includes('--json')
  try {
    return (await run(tool, args, isJson, place)) ? 0 : 1
  } catch (caught) {
    const isUnexplained = CairnError.is(caught, 'USAGE') && caught.hint === usageHint
    const error = isUnexplained ? wrongUse(caught.message, `Run ${tool.name} --help for the list of commands.`) : caught
    const json = CairnError.is(error) ? JSON.stringify(error) : JSON.stringify({ message: String(error) })
    place.complain(isJson ? json : explainFailure(error))
    return CairnError.is(error, 'USAGE') ? usageExitCode : exitCodeOf(error)
  }
}

async function run<Input>(
  tool: AdminTool<Input>,
  args: readonly string[],
  isJson: boolean,
  place: AdminEnvironment,
): Promise<boolean> {
  const { commands } = tool
  const { values, positionals } = readArguments(tool, args)
  if (values.get('help') === true || positionals.length === 0) {
    place.write(describeTool(tool))
    return true
  }
  const [one = '', two = ''] = positionals
  const name = [`${one} ${two}`, one].find((candidate) => Object.hasOwn(commands, candidate))
  const command = name === undefined ? undefined : commands[name]
  if (name === undefined || command === undefined) throw wrongUse(`Unknown command "${positionals.join(' ')}"`)
  const given = positionals.slice(name.split(' ').length)
  if (given.length !== command.args.length) {
    const expected = command.args.length === 0 ? 'no arguments' : command.args.join(' ')
    throw wrongUse(`${name} takes ${expected}`)
  }
  for (const [option, { commands: takers }] of Object.entries(tool.options)) {
    if (values.has(option) && !takers.includes(name))
      throw wrongUse(`${name} does not take --${option}, which is an option of ${takers.join(', ')}`)
  }
  const input = tool.readInput({
    environment: place.environment,
    args: given,
    isDryRun: values.get('dry-run') === true,
    signal: place.signal ?? new AbortController().signal,
    onProgress: (text) => {
      if (!isJson) place.showProgress?.(text)
    },
    report: (json, text) => place.write(isJson ? JSON.stringify(json, writeBigints) : text),
    text(option) {
      const value = values.get(option)
      return typeof value === 'string' ? value : undefined
    },
    has: (option) => values.get(option) === true,
  })
  return await command.run(input)
}

function readArguments<Input>(tool: AdminTool<Input>, args: readonly string[]) {
  const own = Object.entries(tool.options).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  )
  try {
    const { values, positionals } = parseArgs({
      // A minus sign (U+2212) keeps an amount such as -500MiB from being parsed as an option.
      args: args.map((arg) => arg.replace(/^-(?=\d)/, '\u2212')),
      allowPositionals: true,
      options: {
        ...Object.fromEntries(own),
        'dry-run': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    return {
      values: new Map<string, unknown>(Object.entries(values)),
      positionals: positionals.map((arg) => arg.replace(/^\u2212/, '-')),
    }
  } catch (cause) {
    throw wrongUse(cause instanceof Error ? cause.message : 'The arguments cannot be parsed')
  }
}

function describeTool<Input>({ name, commands, options }: AdminTool<Input>): string {
  const calls = Object.entries(commands).map(([call, { args, about }]) => [[call, ...args].join(' '), about] as const)
  const flags = [
    ...Object.entries(options).map(
      ([option, { value, about }]) =>
        [value === undefined ? `--${option}` : `--${option} ${value}`, about ?? ''] as const,
    ),
    ['--dry-run', 'prints the changes without making them'] as const,
    ['--json', 'one JSON object per line'] as const,
  ]
  return [
    `${name} COMMAND [--dry-run] [--json]`,
    '',
    ...describeRows(calls),
    '',
    ...describeRows(flags.filter(([, about]) => about !== '')),
    '',
    'Uses the settings of the service. Exit codes: 0 success, 1 findings or a failure, 2 invalid arguments, 78 invalid settings.',
  ].join('\n')
}

function describeRows(rows: readonly (readonly [call: string, about: string])[]): string[] {
  const width = Math.max(...rows.map(([call]) => call.length))
  return rows.map(([call, about]) => `  ${call.padEnd(width)}  ${about}`)
}

/** A replacer for `JSON.stringify`: ids of packs exceed the exact range of JSON numbers. */
export function writeBigints(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
