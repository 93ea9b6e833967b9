import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseSettings, openDatabase as openWith } from '@cairn/service'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations, openDatabase } from '../database.ts'
import type { Schema } from '../schema.ts'
import { createTables } from './0001_create-tables.ts'

let postgres: PostgresFixture
let folder: string
beforeAll(async () => {
  postgres = await startPostgres()
  folder = await mkdtemp(join(tmpdir(), 'cairn-migrations-'))
})
afterAll(async () => {
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

const settingsOf = async (kind: 'sqlite' | 'postgres', name: string): Promise<DatabaseSettings> =>
  kind === 'sqlite' ? { kind, path: join(folder, `${name}.db`) } : { kind, url: await postgres.createDatabase() }

test.each(['sqlite', 'postgres'] as const)(
  'a database of the first version keeps its records and changes: %s',
  async (kind) => {
    const settings = await settingsOf(kind, 'first')
    {
      await using old = await openWith<{ migration: { name: string; applied_at: number } }>(settings, {
        migrations: [createTables],
      })
      await old.write(async (trx) => {
        await sql`insert into key (cid, cid_as_given, owner, version, state, set_id, sealed_version, digest, change_kind,
        change_id, created_at, updated_at) values ('c', 'c', 'bob', 2, 'held', 's', 2, 'd', 'transfer', 'x', 1, 2)`.execute(
          trx,
        )
        await sql`insert into change values ('c', 1, 'save', 'x:save', 'alice', '{}', 1),
        ('c', 2, 'transfer', 'x:transfer', 'alice', '{"from":"alice"}', 2)`.execute(trx)
        await sql`insert into spent_challenge values ('text', 'alice', 9)`.execute(trx)
      })
    }
    await using db = await openDatabase(settings)
    expect(await db.read.selectFrom('spent_challenge').selectAll().execute()).toEqual([
      { id: 'alice text', address: 'alice', expires_at: 9 },
    ])
    expect(await db.read.selectFrom('key').select(['cid', 'owner', 'creator']).execute()).toEqual([
      { cid: 'c', owner: 'bob', creator: 'alice' },
    ])
    expect(
      await db.read.selectFrom('change').select(['seq', 'version', 'kind', 'at']).orderBy('seq').execute(),
    ).toEqual([
      { seq: 1, version: 1, kind: 'save', at: 1 },
      { seq: 2, version: 2, kind: 'transfer', at: 2 },
    ])
  },
)

test.each(['sqlite', 'postgres'] as const)(
  'spare sets that were saved before a transfer end, and others stay: %s',
  async (kind) => {
    const settings = await settingsOf(kind, 'spares')
    {
      await using old = await openWith<Schema>(settings, { migrations: migrations.slice(0, 9) })
      await old.write(async (trx) => {
        for (const cid of ['kept', 'sold', 'learned', 'saved-again', 'left', 'revoked']) {
          await sql`insert into key (cid, cid_as_given, owner, creator, version, state, set_id, sealed_version, digest, change_kind,
            change_id, created_at, updated_at)
            values (${cid}, ${cid}, 'bob', 'alice', 2, 'held', 's', 2, 'd', 'transfer', 'x', 1, 2)`.execute(trx)
          await sql`insert into spare (cid, set_id, spare_id, spare_set, saved_at)
            values (${cid}, 's', 'p', '{}', ${cid === 'saved-again' ? 30 : 10})`.execute(trx)
        }
        const change = (cid: string, kindOf: string, given: string) =>
          sql`insert into change (cid, seq, version, kind, id, by_address, arguments, at)
            values (${cid}, 2, 2, ${kindOf}, 'x', 'alice', ${given}, 20)`.execute(trx)
        const transfer = '{"from":"alice","to":"bob"}'
        await change('sold', 'transfer', transfer)
        await change('learned', 'repair', transfer)
        await change('saved-again', 'transfer', transfer)
        await change('left', 'conditions', '{"removed":false,"isOwnerless":true}')
        await change('revoked', 'repair', '{"revokeTo":["carol"]}')
      })
    }
    await using db = await openDatabase(settings)
    const rows = await db.read.selectFrom('spare').select('cid').orderBy('cid').execute()
    expect(rows.map(({ cid }) => cid)).toEqual(['kept', 'left', 'revoked', 'saved-again'])
  },
)
