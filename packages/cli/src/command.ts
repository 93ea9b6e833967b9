import type { ParseArgsConfig } from 'node:util'
import type { Environment } from './environment.ts'
import type { Output } from './output.ts'
import type { Prompt } from './prompt.ts'
import type { Session } from './session.ts'
import type { State } from './state.ts'

/** Options of one command, as `node:util` parses them, each with a line for the help. */
export type Options = Record<
  string,
  NonNullable<ParseArgsConfig['options']>[string] & { about: string; value?: string }
>

/** Values of options after parsing. */
export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

/** What a command works with. */
export type Surroundings = {
  args: string[]
  values: Values
  output: Output
  prompt: Prompt
  state: State
  session: Session
  environment: Environment
  signal: AbortSignal
  stdin: NodeJS.ReadStream
}

/** A command: one plain object, from which help and completion are made. */
export type Command = {
  name: string
  /** Other names of the same command. */
  aliases?: readonly string[]
  summary: string
  /** Arguments behind the name, as the help shows them. */
  usage: string
  /** Least and most arguments. */
  arity: readonly [least: number, most: number]
  options?: Options
  /** First arguments that are words of a fixed list. */
  words?: readonly string[]
  examples: readonly string[]
  run(surroundings: Surroundings): Promise<void>
}

/** A text option. */
export function text(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** A switch. */
export function flag(values: Values, name: string): boolean {
  return values[name] === true
}
