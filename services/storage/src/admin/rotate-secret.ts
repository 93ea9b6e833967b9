import { CairnError } from '@cairn/protocol'
import { recordAction } from '@cairn/service/admin'
import { secretIdOf } from '../secrets/seal.ts'
import type { AdminContext } from './admin-context.ts'
import { sealedRows } from './sealed-rows.ts'

/**
 * Seals every key of a name and every secret of a webhook that is sealed with the secondary secret again with the primary
 * one. It can be interrupted at any time: each key is sealed with one of the two, services with both settings open either, and
 * the next run continues.
 * @throws CairnError INVALID_CONFIGURATION for keys sealed with neither secret, DATA_DAMAGED for a seal that does not open
 */
export async function rotateSecret(
  { db, clock, isDryRun, report }: AdminContext,
  { primary, secondary }: { primary: Uint8Array; secondary: Uint8Array },
): Promise<{ sealed: number; left: number }> {
  const to = { id: secretIdOf(primary), secret: primary }
  const from = { id: secretIdOf(secondary), secret: secondary }
  if (to.id === from.id)
    throw invalid('Both settings contain the same secret', 'Create a new one: openssl rand -hex 32')
  for (const rows of sealedRows) {
    const foreign = await rows.findForeign(db.read, [to.id, from.id])
    if (foreign === undefined) continue
    throw invalid(
      `${foreign} was sealed with a third secret`,
      'Set CAIRN_STORAGE_SECRET_SECONDARY to the secret it was sealed with, and rotate that one first.',
    )
  }
  const count = async (): Promise<number> => {
    let sum = 0
    for (const rows of sealedRows) sum += await rows.count(db.read, from.id)
    return sum
  }
  const total = await count()
  if (isDryRun) return { sealed: 0, left: total }
  const entry = { action: 'secret rotate', subject: 'CAIRN_STORAGE_SECRET', before: { secretId: from.id, keys: total } }
  // Logged first, because an interrupted run has sealed some keys too.
  await db.write(async (trx) => {
    // Replicas that know both secrets start with either; from now on the new one alone suffices.
    await trx.updateTable('store').set({ secret_check: to.id }).where('secret_check', 'is not', null).execute()
    await recordAction(trx, { ...entry, after: { secretId: to.id } }, clock.now())
  })
  let sealed = 0
  for (const rows of sealedRows) {
    for (let some = await rows.sealNext(db, from, to); some > 0; some = await rows.sealNext(db, from, to)) {
      sealed += some
      report({ kind: 'progress', sealed, total }, `${sealed} of ${total} keys sealed`)
    }
  }
  return { sealed, left: await count() }
}

function invalid(message: string, hint: string): CairnError {
  return new CairnError('INVALID_CONFIGURATION', { message, hint })
}
