import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseSettings, openDatabase as openWith } from '@cairn/service'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../database.ts'
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

test.each(['sqlite', 'postgres'] as const)(
  'a database of the first version keeps its records and changes: %s',
  async (kind) => {
    const settings: DatabaseSettings =
      kind === 'sqlite' ? { kind, path: join(folder, 'keynode.db') } : { kind, url: await postgres.createDatabase() }
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
