import type { ParseArgsConfig } from 'node:util'
import type { Environment } from './environment.ts'
import type { ExitCodes } from './exit-codes.ts'
import type { Session } from './session.ts'
import type { State } from './state/state.ts'
import type { Output } from './terminal/output.ts'
import type { Prompt } from './terminal/prompt.ts'
import type { Source } from './terminal/streams.ts'

/** Options of one command for `node:util`, each with a line for the help. */
export type Options = Record<
  string,
  NonNullable<ParseArgsConfig['options']>[string] & {
    about: string
    /** Name of the value in the help; completion offers files for `file` and `path`. */
    value?: string
    /** Values that completion offers. */
    choices?: readonly string[]
    /** The only actions of the command that take it; all do by default. */
    actions?: readonly string[]
  }
>

/** Parsed option values. */
export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

/** Context of a command. */
export type CommandContext = {
  args: string[]
  values: Values
  output: Output
  prompt: Prompt
  state: State
  session: Session
  environment: Environment
  signal: AbortSignal
  stdin: Source
}

/** A command: a plain object that help and completion are generated from. */
export type Command = {
  name: string
  /** Other names of the same command. */
  aliases?: readonly string[]
  summary: string
  /** Arguments after the name, as the help shows them. */
  usage: string
  /** Minimum and maximum number of arguments. */
  arity: readonly [min: number, max: number]
  /** Maximum number of arguments of actions that take fewer than the command, with the action itself. */
  maxArguments?: Readonly<Record<string, number>>
  options?: Options
  /** Values of a first argument that is a keyword. */
  words?: readonly string[]
  examples: readonly string[]
  /** Actions that only print, possibly without an end: they stop when nothing reads their output. True for all. */
  endsWithOutput?: true | readonly string[]
  /** Exit codes of errors that mean something else here than in other commands. */
  exitCodes?: ExitCodes
  run(context: CommandContext): Promise<void>
}

/** Returns a text option. */
export function text(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns a switch. */
export function flag(values: Values, name: string): boolean {
  return values[name] === true
}
