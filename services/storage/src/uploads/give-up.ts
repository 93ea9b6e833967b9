import type { Context } from '../context.ts'

/**
 * Cleans up after an upload, failed or not. Logs a failure: the caller hears how the upload itself ended, and the next start
 * cleans up.
 */
export async function giveUp(context: Context, what: string, undo: () => Promise<void>): Promise<void> {
  try {
    await undo()
  } catch (error) {
    context.log.error({ err: error }, `could not ${what} of an upload`)
  }
}
