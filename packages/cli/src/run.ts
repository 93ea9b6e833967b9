import { parseArgs } from 'node:util'
import { findNearest } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { cutArguments } from './arguments/cut-arguments.ts'
import { parseOptions } from './arguments/parse-options.ts'
import { type Command, flag, type Options, text, type Values } from './command.ts'
import { commands } from './commands.ts'
import { describeFailure, describeUnreachable } from './describe-failure.ts'
import type { Environment } from './environment.ts'
import { type ExitCodes, exitCodeOf, exitCodes } from './exit-codes.ts'
import { describeAll, describeCommand, globalOptions } from './help.ts'
import { createSession } from './session.ts'
import { createState } from './state/state.ts'
import { createOutput, type Output } from './terminal/output.ts'
import { createPrompt } from './terminal/prompt.ts'
import type { Streams } from './terminal/streams.ts'
import { version } from './version.ts'

/** Splits off the command, which global options may precede. */
export function splitCommand(argv: readonly string[]): { name: string; rest: string[] } {
  let at = 0
  for (;;) {
    const word = argv[at] ?? ''
    const found = Object.entries<Options[string]>(globalOptions).find(
      ([long, { short }]) =>
        long !== 'help' && (word === `--${long}` || word.startsWith(`--${long}=`) || (short && word === `-${short}`)),
    )
    if (found === undefined) return { name: word, rest: argv.toSpliced(at, 1) }
    at += found[1].type === 'string' && !word.includes('=') ? 2 : 1
  }
}

function lookUp(name: string): Command | undefined {
  return commands.find((one) => one.name === name || one.aliases?.includes(name) === true)
}

/** Returns whether a command has nothing left to do once nothing reads its output. */
export function endsWithOutput(argv: readonly string[]): boolean {
  const { name, rest } = splitCommand(argv)
  const { endsWithOutput: ends = false, options } = lookUp(name) ?? {}
  if (typeof ends === 'boolean') return ends
  // Options may precede the action, with their values.
  const { positionals } = parseArgs({
    args: rest,
    options: { ...globalOptions, ...options },
    allowPositionals: true,
    strict: false,
  })
  return ends.includes(positionals[0] ?? '')
}

function findCommand(name: string): Command {
  const command = lookUp(name)
  if (command !== undefined) return command
  const list = 'Run cairn --help for a list of commands.'
  if (name.startsWith('-')) throw new CairnError('USAGE', { message: `Unknown option ${name}`, hint: list })
  const names = commands.flatMap((one) => [one.name, ...(one.aliases ?? [])])
  const meant = (Object.hasOwn(otherWords, name) ? otherWords[name] : undefined) ?? findNearest(name, names)
  throw new CairnError('USAGE', {
    message: `Unknown command ${JSON.stringify(name)}`,
    hint: meant === undefined ? list : `Did you mean cairn ${meant}? ${list}`,
  })
}

/** Words for the commands in Kubo, rclone and the command line of Lighthouse. */
const otherWords: Readonly<Record<string, string>> = {
  add: 'upload',
  copy: 'upload',
  cp: 'upload',
  put: 'upload',
  'upload-encrypted': 'upload --encrypt',
  download: 'get',
  'decrypt-file': 'get',
  list: 'ls',
  'get-uploads': 'ls',
  delete: 'rm',
  remove: 'rm',
  'deal-status': 'deals',
  'share-file': 'share',
  'revoke-access': 'unshare',
  'create-wallet': 'wallet create',
  'import-wallet': 'wallet import',
  ipns: 'name',
}

/**
 * Returns the command that help is requested for, which an action of it may follow; undefined for all commands.
 * @throws CairnError USAGE naming a word that is neither
 */
function findTopic(words: string[]): Command | undefined {
  const [topic, ...others] = parseOptions(words, globalOptions, 'help').args
  if (topic === undefined) return undefined
  const command = findCommand(topic)
  const rest = command.words?.includes(others[0] ?? '') ? others.slice(1) : others
  if (rest.length === 0) return command
  throw new CairnError('USAGE', {
    message: `help does not accept the argument ${JSON.stringify(rest[0])}`,
    hint: `Run cairn help ${command.name}.`,
  })
}

function showHelp(output: Output, command: Command): void {
  output.result({ name: command.name, usage: command.usage }, describeCommand(command).split('\n'))
}

/** @throws CairnError USAGE naming what is wrong: too few arguments, one too many, or an empty one */
function requireArity({ name, usage, arity, maxArguments = {} }: Command, args: readonly string[]): void {
  const [minCount] = arity
  const action = args[0] ?? ''
  const isLimited = Object.hasOwn(maxArguments, action)
  const maxCount = (isLimited ? maxArguments[action] : undefined) ?? arity[1]
  if (args.length >= minCount && args.length <= maxCount) {
    if (!args.includes('')) return
    throw new CairnError('USAGE', {
      message: `An argument of ${name} is empty`,
      hint: `Check the variable that it comes from. Usage: cairn ${name} ${usage}`.trimEnd(),
    })
  }
  const what =
    args.length < minCount
      ? 'requires more arguments'
      : `does not accept the argument ${JSON.stringify(args[maxCount])}`
  throw new CairnError('USAGE', {
    message: `${name} ${isLimited ? `${action} ` : ''}${what}`,
    hint: `Usage: ${`cairn ${name} ${usage}`.trimEnd()}. Run cairn ${name} --help for details.`,
  })
}

/** @throws CairnError USAGE naming an option that the action would ignore */
function requireTaken({ name, options = {}, words = [] }: Command, action: string, values: Values): void {
  if (!words.includes(action)) return
  for (const [option, { actions }] of Object.entries(options)) {
    if (actions === undefined || actions.includes(action) || values[option] === undefined) continue
    throw new CairnError('USAGE', {
      message: `${name} ${action} does not take --${option}`,
      hint: `It is an option of ${actions.map((one) => `cairn ${name} ${one}`).join(', ')}.`,
    })
  }
}

/** Returns the output in the form that the arguments request. */
function openOutput(
  argv: readonly string[],
  environment: Pick<Environment, 'noColor'>,
  streams: Pick<Streams, 'stdout' | 'stderr'>,
): Output {
  const switches = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const wants = (option: string) => switches.includes(`--${option}`)
  return createOutput({
    ...streams,
    json: wants('json'),
    quiet: wants('quiet') || switches.includes('-q'),
    color: !environment.noColor && !wants('no-color'),
    cut: cutArguments(argv),
  })
}

/** Reports that standard output failed, which ends the program. */
export function reportOutputFailure(
  argv: readonly string[],
  environment: Pick<Environment, 'noColor'>,
  streams: Pick<Streams, 'stdout' | 'stderr'>,
  cause: unknown,
): void {
  const { message, hint } = describeFailure(cause)
  openOutput(argv, environment, streams).error(
    new CairnError('FILE_UNREADABLE', { message: `Cannot write to standard output. ${message}`, hint, cause }),
  )
}

/** Names the command in the hint about its usage, and the address that a request did not reach. */
function describeForUsers(error: CairnError, command: string): CairnError {
  if (CairnError.is(error, 'USAGE') && error.hint === new CairnError('USAGE').hint)
    return new CairnError('USAGE', {
      message: error.message,
      hint: `Run cairn ${command} --help for usage.`,
      cause: error,
    })
  return describeUnreachable(error)
}

/** Runs one command line and returns the exit code. Never throws. */
export async function run(
  argv: string[],
  environment: Environment,
  { stdin, stdout, stderr }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { name, rest } = splitCommand(argv)
  const output = openOutput(argv, environment, { stdout, stderr })
  let ofCommand: ExitCodes | undefined
  try {
    if (name === '--version' || name === 'version') {
      output.result({ version }, version)
      return exitCodes.ok
    }
    if (name === '' || name === 'help' || name === '--help' || name === '-h') {
      const about = findTopic(rest)
      if (about === undefined)
        output.result({ commands: commands.map((command) => command.name) }, describeAll(commands).split('\n'))
      else showHelp(output, about)
      return name === '' ? exitCodes.usage : exitCodes.ok
    }
    const command = findCommand(name)
    ofCommand = command.exitCodes
    const { values, args } = parseOptions(rest, { ...globalOptions, ...command.options }, command.name)
    if (flag(values, 'help')) {
      showHelp(output, command)
      return exitCodes.ok
    }
    requireArity(command, args)
    requireTaken(command, args[0] ?? '', values)
    const state = createState(environment.configFolder)
    const session = createSession({
      network: text(values, 'network'),
      apiKeyFile: text(values, 'api-key-file'),
      environment,
      state,
      output,
      signal,
    })
    const prompt = createPrompt({
      passwordFile: environment.passwordFile,
      fromStdin: flag(values, 'password-stdin'),
      stdin,
      stderr,
      signal,
    })
    await command.run({ args, values, output, prompt, state, session, environment, signal, stdin })
    return exitCodes.ok
  } catch (error) {
    // The user who stopped it needs no message of an error.
    if (signal.aborted || CairnError.is(error, 'ABORTED')) return exitCodes.interrupted
    output.error(CairnError.is(error) ? describeForUsers(error, name) : describeFailure(error))
    return exitCodeOf(error, ofCommand)
  }
}
