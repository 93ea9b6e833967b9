import { parseArgs } from 'node:util'
import { CairnError } from '@cairn/protocol'
import { exitCodeOf, explainFailure } from '@cairn/service'
import { readConfig } from '../config.ts'
import { commands } from './commands.ts'
import { wrongUse } from './wrong-use.ts'

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

/**
 * Runs one command of `cairn-admin`.
 * @returns the exit code: 0 success, 1 findings or a failure, 2 invalid arguments, 78 invalid settings
 */
export async function runCommand(args: readonly string[], place: AdminEnvironment): Promise<number> {
  const isJson = args.includes('--json')
  try {
    return (await run(args, isJson, place)) ? 0 : 1
  } catch (error) {
    const json = CairnError.is(error) ? JSON.stringify(error) : JSON.stringify({ message: String(error) })
    place.complain(isJson ? json : explainFailure(error))
    return CairnError.is(error, 'USAGE') ? usageExitCode : exitCodeOf(error)
  }
}

async function run(args: readonly string[], isJson: boolean, place: AdminEnvironment): Promise<boolean> {
  const { values, positionals } = readArguments(args)
  if (values.help || positionals.length === 0) {
    place.write(describeCommands())
    return true
  }
  const [one = '', two = ''] = positionals
  const name = [`${one} ${two}`, one].find((candidate) => Object.hasOwn(commands, candidate))
  const command = name === undefined ? undefined : commands[name]
  if (name === undefined || command === undefined) throw wrongUse(`Unknown command "${positionals.join(' ')}"`)
  const given = positionals.slice(name.split(' ').length)
  if (given.length !== command.args.length) {
    throw wrongUse(`${name} takes ${command.args.length === 0 ? 'no arguments' : command.args.join(' ')}`)
  }
  return await command.run({
    config: readConfig(place.environment),
    args: given,
    reason: values.reason,
    isDryRun: values['dry-run'],
    isByLaw: values['by-law'],
    backup: {
      id: values.backup,
      identityFile: values.identity,
      keep: values.keep,
      allowsDamage: values['allow-damage'],
    },
    to: values.to,
    signal: place.signal ?? new AbortController().signal,
    onProgress: (text) => {
      if (!isJson) place.showProgress?.(text)
    },
    report: (json, text) => place.write(isJson ? JSON.stringify(json, writeBigints) : text),
  })
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      // A minus sign (U+2212) keeps an amount such as -500MiB from being parsed as an option.
      args: args.map((arg) => arg.replace(/^-(?=\d)/, '\u2212')),
      allowPositionals: true,
      options: {
        reason: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        'by-law': { type: 'boolean', default: false },
        backup: { type: 'string' },
        identity: { type: 'string' },
        keep: { type: 'string' },
        to: { type: 'string' },
        'allow-damage': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (cause) {
    throw wrongUse(cause instanceof Error ? cause.message : 'The arguments cannot be parsed')
  }
}

function describeCommands(): string {
  const rows = Object.entries(commands).map(([name, { args, about }]) => [[name, ...args].join(' '), about] as const)
  const width = Math.max(...rows.map(([call]) => call.length))
  return [
    'cairn-admin COMMAND [--reason TEXT] [--dry-run] [--json]',
    '',
    ...rows.map(([call, about]) => `  ${call.padEnd(width)}  ${about}`),
    '',
    '  --reason   reason of the action, for the audit log',
    '  --identity FILE   file with the AGE-SECRET-KEY of the backup, for restore and backup verify',
    '  --backup ID       backup to restore or verify; the newest, or all, by default',
    '  --keep COUNT      backups that prune keeps',
    '  --to postgres|s3   where migrate moves the service to',
    '  --allow-damage    restores what is left of a damaged backup',
    '  --dry-run  prints the changes without making them',
    '  --json     one JSON object per line',
    '',
    'Uses the settings of the service. Exit codes: 0 success, 1 findings or a failure, 2 invalid arguments, 78 invalid settings.',
  ].join('\n')
}

/** Ids of packs exceed the exact range of JSON numbers. */
function writeBigints(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
