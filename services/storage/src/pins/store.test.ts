import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { findDuePins, insertPin, pinOwnerLifetimeMs, takePin } from './store.ts'

const text = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

test('hides a pin recorded with an owner, or of a blocked account, from the workers until that ends', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-storage-pins-'))
  const db = await openDatabase({ kind: 'sqlite', path: join(home, 'storage.sqlite') })
  try {
    let now = 1_700_000_000_000
    const context = { db, clock: { now: () => now }, config: readConfig({ CAIRN_HOME: home }) }
    const address = '0x1111111111111111111111111111111111111111'
    await db.write((trx) =>
      trx
        .insertInto('account')
        .values({ address, created_at: now, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 })
        .execute(),
    )
    const insert = (owner: string | undefined) =>
      insertPin(context, address, { cid: text }, CID.parse(text), undefined, owner)
    const held = await insert('request')
    expect(held).toMatchObject({ status: 'pinning', owner: 'request', owner_until: now + pinOwnerLifetimeMs })
    const queued = await insert(undefined)
    expect(queued).toMatchObject({ status: 'queued', owner: null })
    const due = async () => (await findDuePins(context, [], 10)).map(({ id }) => id)
    expect(await due()).toEqual([queued.id])
    expect(await takePin(context, held.id, 'worker')).toBeUndefined()
    now += pinOwnerLifetimeMs
    expect(await due()).toEqual([held.id, queued.id])
    const block = (blockedAt: number | null) =>
      db.write((trx) => trx.updateTable('account').set({ blocked_at: blockedAt }).execute())
    await block(now)
    expect(await due()).toEqual([])
    await block(null)
    expect(await due()).toEqual([held.id, queued.id])
    expect(await takePin(context, held.id, 'worker')).toMatchObject({ owner: 'worker' })
  } finally {
    await db.close()
    await rm(home, { recursive: true, force: true })
  }
})
