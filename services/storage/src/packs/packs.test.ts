import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrations, openDatabase } from '../db/database.ts'
import { writeMigratedFile } from '../db/migrated-file.fixture.ts'
import { damageSuite } from './checking/damaged-packs.suite.ts'
import { mergeSuite } from './merging/merge-packs.suite.ts'
import { mergedSuite } from './merging/merged-packs.suite.ts'
import { createPackPlace, manyBlocks } from './pack.fixture.ts'
import { packSuite } from './packs.suite.ts'
import { hashSuite } from './reading/hash-functions.suite.ts'
import { privateSuite } from './reading/private-packs.suite.ts'
import { recoverSuite } from './recovery/recover-packs.suite.ts'
import { removeSuite } from './removal/remove-packs.suite.ts'

/** Every promise of packs. */
const suites = [packSuite, removeSuite, recoverSuite, damageSuite, hashSuite, mergeSuite, mergedSuite, privateSuite]

let folder: string
let server: PostgresFixture
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-packs-db-'))
  server = await startPostgres(migrations)
})
afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

let count = 0
const places = {
  sqlite: async () => {
    const path = join(folder, `${count++}.sqlite`)
    await writeMigratedFile(path)
    return openDatabase({ kind: 'sqlite', path })
  },
  postgres: async () => openDatabase({ kind: 'postgres', url: await server.createDatabase(), poolSize: 6 }),
}

describe.each(databaseKinds)('on %s', (kind) => {
  for (const suite of suites) suite(places[kind])
})

describe('on PostgreSQL', () => {
  test('two units that both find a pack new insert it once', async () => {
    const place = await createPackPlace(await places.postgres())
    try {
      const sealed = await place.seal(manyBlocks(3, 100))
      // Rows enter the indexes in the order of index age. If the primary key came last, a unit that waits in an earlier index
      // would have found no pack with its id, and neither would the next.
      const { db } = place
      await sql`create function wait_at_gate(given bigint) returns bigint language plpgsql immutable as
        ${sql.lit('begin perform pg_advisory_xact_lock_shared(1); return given; end')}`.execute(db.read)
      await sql`create index gate on pack (wait_at_gate(id))`.execute(db.read)
      await sql`alter table pack drop constraint pack_pkey cascade, add primary key (id)`.execute(db.read)
      await db.read.connection().execute(async (gate) => {
        await sql`select pg_advisory_lock(1)`.execute(gate)
        const recorded = Promise.all([place.record(sealed), place.record(sealed)])
        const waiting = async () => {
          const units = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
          return (await units.execute(gate)).rows.length
        }
        await expect.poll(waiting).toBe(2)
        await sql`select pg_advisory_unlock(1)`.execute(gate)
        await recorded
      })
      expect(await db.read.selectFrom('pack').select('id').execute()).toEqual([{ id: sealed.own?.id }])
    } finally {
      await place.remove()
    }
  })
})
