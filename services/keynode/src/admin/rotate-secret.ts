import { CairnError } from '@cairn/protocol'
import { recordAction } from '@cairn/service/admin'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { NodeKeys } from '../identity.ts'
import { openNode, sealSigning } from '../open-keys.ts'
import { findSealKey } from '../seal-bytes.ts'
import { openShard, openSpare, type SealSubject, type SpareSubject, sealShard, sealSpare } from '../shards/shards.ts'
import { type CommandContext, unusedDatabase } from './command.ts'

/** Number of rows sealed again per unit of work; small, so that other units wait only briefly. */
const rowsAtOnce = 50

/** A sealed shard, in force or not, or sealed parts of a spare set. */
type Sealed = { cid: string; setId: string; sealed: Uint8Array } & (
  | (SealSubject & { table: 'key' | 'other_set' })
  | (SpareSubject & { table: 'spare' })
)

/** Result of a rotation. `damaged` shards open with neither secret, and stay as they are. */
export type Rotated = { sealed: number; left: number; damaged: number }

/**
 * Seals every shard and the signing key again with the primary secret. It can be interrupted at any time: a node with
 * both settings opens either, and the next run continues. The did:key of the node stays.
 * @param onSealed called with the number of shards so far
 * @throws CairnError INVALID_CONFIGURATION without two secrets, or for shards that were sealed with a third
 */
export async function rotateSecret(
  { config, db, clock, isDryRun }: CommandContext,
  { signal, onSealed, onDamaged }: { signal: AbortSignal; onSealed(count: number): void; onDamaged(cid: string): void },
): Promise<Rotated> {
  if (config.secondarySecret === undefined) {
    throw invalid(
      'A rotation requires the new secret and the old one',
      'Set CAIRN_KEYNODE_SECRET to the new one and CAIRN_KEYNODE_SECRET_SECONDARY to the old one. See docs/operate/upgrade.md.',
    )
  }
  const node = await openNode(db, config)
  if (node === undefined) throw unusedDatabase()
  const { keys } = node
  if (findSealKey({ sealing: keys.sealing }, sealSigning(config, secondaryOf(keys))) === 'primary')
    throw invalid('Both settings contain the same secret', 'Create a new one: openssl rand -hex 32')
  let due = 0
  for await (const one of listSealed(db.read)) {
    const key = findSealKey(keys, one.sealed)
    if (key === 'other') {
      throw invalid(
        `The shard of ${one.cid} was sealed with a third secret`,
        'Set CAIRN_KEYNODE_SECRET_SECONDARY to the secret it was sealed with, and rotate that one first.',
      )
    }
    if (key !== 'primary') due++
  }
  if (isDryRun) return { sealed: 0, left: due, damaged: 0 }
  // Logged first, because an interrupted run has sealed some shards too.
  await db.write(async (trx) => {
    await trx
      .updateTable('node')
      .set({ signing_seal: sealSigning(config, keys) })
      .execute()
    const after = { secretId: Buffer.from(keys.sealing.id).toString('hex'), shards: due }
    await recordAction(trx, { action: 'secret rotate', subject: 'CAIRN_KEYNODE_SECRET', after }, clock.now())
  })
  let sealed = 0
  let damaged = 0
  let batch: { from: Sealed; to: Uint8Array }[] = []
  const write = async (): Promise<void> => {
    const some = batch
    batch = []
    await db.write(async (trx) => {
      for (const { from, to } of some) await replaceSeal(trx, from, to)
    })
    sealed += some.length
    onSealed(sealed)
  }
  for await (const one of listSealed(db.read)) {
    signal.throwIfAborted()
    if (findSealKey(keys, one.sealed) === 'primary') continue
    try {
      batch.push({ from: one, to: sealAgain({ config, keys }, one) })
    } catch (error) {
      if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
      damaged++
      onDamaged(one.cid)
    }
    if (batch.length >= rowsAtOnce) await write()
  }
  if (batch.length > 0) await write()
  let left = 0
  for await (const one of listSealed(db.read)) if (findSealKey(keys, one.sealed) !== 'primary') left++
  return { sealed, left, damaged }
}

function secondaryOf(keys: NodeKeys): NodeKeys {
  return { ...keys, sealing: keys.secondarySealing ?? keys.sealing }
}

function sealAgain(sealing: Parameters<typeof sealShard>[0], one: Sealed): Uint8Array {
  if (one.table === 'spare') return sealSpare(sealing, one, openSpare(sealing, one, one.sealed))
  return sealShard(sealing, one, openShard(sealing, one, one.sealed))
}

/** A change of the record in the meantime sealed it with the primary secret. */
async function replaceSeal(trx: Kysely<Schema>, one: Sealed, to: Uint8Array): Promise<void> {
  const { cid, setId, sealed } = one
  if (one.table === 'spare') {
    const row = trx.updateTable('spare').where('cid', '=', cid).where('set_id', '=', setId)
    await (one.column === 'parts'
      ? row.set({ parts: to }).where('parts', '=', sealed)
      : row.set({ shard: to }).where('shard', '=', sealed)
    ).execute()
    return
  }
  await trx
    .updateTable(one.table)
    .set({ sealed: to })
    .where('cid', '=', cid)
    .where('set_id', '=', setId)
    .where('sealed', '=', sealed)
    .execute()
}

/** Lists everything that is sealed: shards and parts of spare sets. */
async function* listSealed(db: Kysely<Schema>): AsyncGenerator<Sealed> {
  yield* listShards(db)
  yield* listSealedSpares(db)
}

async function* listSealedSpares(db: Kysely<Schema>): AsyncGenerator<Sealed> {
  for (let after = ''; ; ) {
    const page = db.selectFrom('spare').select('cid').where('cid', '>', after).orderBy('cid').limit(rowsAtOnce)
    const last = (await page.execute()).at(-1)?.cid
    if (last === undefined) return
    // One file may have several sets: all of them.
    const rows = await db.selectFrom('spare').selectAll().where('cid', '>', after).where('cid', '<=', last).execute()
    for (const { cid, set_id: setId, spare_id: spareId, parts, shard } of rows) {
      if (parts !== null) yield { table: 'spare', column: 'parts', cid, setId, spareId, sealed: parts }
      if (shard !== null) yield { table: 'spare', column: 'shard', cid, setId, spareId, sealed: shard }
    }
    after = last
  }
}

/** Lists every sealed shard, in batches by CID. */
async function* listShards(db: Kysely<Schema>): AsyncGenerator<Sealed> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('key')
      .select(['cid', 'owner', 'sealed_version', 'set_id', 'sealed'])
      .where('cid', '>', after)
      .orderBy('cid')
      .limit(rowsAtOnce)
      .execute()
    const last = rows.at(-1)?.cid
    if (last === undefined) return
    for (const { cid, owner, sealed_version: version, set_id: setId, sealed } of rows)
      if (sealed !== null) yield { table: 'key', cid, owner, version, setId, sealed }
    const others = await db
      .selectFrom('other_set')
      .selectAll()
      .where('cid', '>', after)
      .where('cid', '<=', last)
      .execute()
    for (const { cid, owner, version, set_id: setId, sealed } of others)
      yield { table: 'other_set', cid, owner, version, setId, sealed }
    after = last
  }
}

function invalid(message: string, hint: string): CairnError {
  return new CairnError('INVALID_CONFIGURATION', { message, hint })
}
