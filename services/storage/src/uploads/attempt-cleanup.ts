import type { Context } from '../context.ts'

/**
 * Cleans up after an upload. Logs a failure instead of throwing: the caller receives the outcome of the upload
 * itself, and the next start cleans up.
 */
export async function attemptCleanup(context: Context, what: string, undo: () => Promise<unknown>): Promise<void> {
  try {
    await undo()
  } catch (error) {
    context.log.error({ err: error }, `failed to ${what} of an upload`)
  }
}
