import type { Context } from '../context.ts'
import { removeDoomed } from '../objects/doomed-objects.ts'
import { type ReleasedPack, removePack } from '../packs/packs.ts'
import { attemptCleanup } from '../uploads/uploads.ts'
import { isRemovalHeld } from '../workers/removal-hold.ts'
import type { Dropped } from './store.ts'

/** Removes the objects and packs of dropped bytes. Workers retry failures. */
export async function removeDropped(context: Context, { keys, packs }: Dropped): Promise<void> {
  await attemptCleanup(context, 'remove the parts', () => removeDoomed(context, keys))
  await removeReleased(context, packs)
}

/** Removes packs whose removal is due. If that fails, or is postponed by a backup, the worker that removes packs continues it. */
export async function removeReleased(context: Context, packs: readonly ReleasedPack[]): Promise<void> {
  if (packs.length === 0) return
  await attemptCleanup(context, 'remove the packs', async () => {
    if (await isRemovalHeld(context)) return
    context.packs.evict()
    for (const pack of packs) await removePack(context.db, context.objects, pack)
    context.packs.evict()
  })
}
