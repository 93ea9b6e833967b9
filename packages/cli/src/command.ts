import type { ParseArgsConfig } from 'node:util'
import { CairnError } from '@cairn/sdk'
import type { Environment } from './environment.ts'
import type { Output } from './output.ts'
import type { Prompt } from './prompt.ts'
import type { Session } from './session.ts'
import type { State } from './state.ts'

/** Options of one command, as `node:util` parses them, each with a line for the help. */
export type Options = Record<
  string,
  NonNullable<ParseArgsConfig['options']>[string] & {
    about: string
    /** What the value is, as the help calls it; completion offers files for `file` and `path`. */
    value?: string
    /** Values that completion offers. */
    choices?: readonly string[]
  }
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

/** What a command with several actions does with its first argument. @throws CairnError USAGE for an action that it lacks */
export function pickAction<Action>(name: string, actions: Readonly<Record<string, Action>>, word = ''): Action {
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined
  if (action !== undefined) return action
  throw new CairnError('USAGE', {
    message: `${name} has no action ${JSON.stringify(word)}`,
    hint: `Use ${Object.keys(actions).join(', ')}.`,
  })
}
