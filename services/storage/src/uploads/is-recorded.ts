import type { Context } from '../context.ts'
import type { SealedPack } from '../packs/packs.ts'
import { attemptCleanup } from './attempt-cleanup.ts'

/**
 * Determines the outcome of a unit of work that reported an error, and removes the pack when no row refers to it.
 * @param isNamed whether a row refers to it
 */
export async function isRecorded(
  context: Context,
  sealed: SealedPack,
  isNamed: () => Promise<boolean>,
): Promise<boolean> {
  try {
    // A row in a database file that was removed or replaced does not count.
    await context.db.ping()
    if (await isNamed()) return true
  } catch (error) {
    // The pack stays unconfirmed; the next start resolves it.
    context.log.warn({ err: error }, 'failed to check whether an upload was recorded')
    return false
  }
  await attemptCleanup(context, 'remove a pack', () => context.packs.discard(sealed))
  return false
}
