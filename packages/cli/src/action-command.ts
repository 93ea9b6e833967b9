import { CairnError } from '@cairn/sdk'
import type { Command, CommandContext } from './command.ts'

export type Action = (context: CommandContext) => Promise<void>

/** What a command does, by its first argument. */
export type Actions = Readonly<Record<string, Action>>

type ActionCommand = Omit<Command, 'words' | 'run'> & {
  /** Arguments after the action, as the help shows them. */
  usage: string
  /** The action of a command without arguments. Defaults to none. */
  defaultAction?: string
}

/** Returns a command whose first argument names one of its actions. It throws CairnError USAGE for an unknown action. */
export function actionCommand(actions: Actions, { usage, defaultAction, ...command }: ActionCommand): Command {
  const words = Object.keys(actions)
  const action = words.join('|')
  return {
    ...command,
    usage: `${defaultAction === undefined ? `<${action}>` : `[${action}]`} ${usage}`.trimEnd(),
    words,
    async run(context) {
      const word = context.args[0] ?? defaultAction ?? ''
      const run = Object.hasOwn(actions, word) ? actions[word] : undefined
      if (run !== undefined) return run(context)
      throw new CairnError('USAGE', {
        message: `Unknown action of ${command.name}: ${JSON.stringify(word)}`,
        hint: `Use ${words.join(', ')}.`,
      })
    },
  }
}
