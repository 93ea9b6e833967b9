import type { Context } from '../context.ts'

/** Undoes a part of a failed upload. A fault in that is logged: the caller is told of the first one, and the next start cleans up. */
export async function giveUp(context: Context, what: string, undo: () => Promise<void>): Promise<void> {
  try {
    await undo()
  } catch (error) {
    context.log.error({ err: error }, `could not ${what} of a failed upload`)
  }
}
