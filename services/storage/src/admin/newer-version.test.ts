// Commands of a newer version, on the database of a running version.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseSettings, inspectDatabase, openDatabase } from '@cairn/service'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { runAdmin } from './admin.fixture.ts'

let postgres: PostgresFixture
let folder: string
beforeAll(async () => {
  postgres = await startPostgres()
  folder = await mkdtemp(join(tmpdir(), 'cairn-newer-'))
})
afterAll(async () => {
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

const contraction = migrations.findLastIndex(({ change }) => change === 'contract')

test.each(databaseKinds)('no command contracts a database of %s that others use', async (kind) => {
  const home = join(folder, kind)
  const url = kind === 'postgres' ? await postgres.createDatabase() : undefined
  const settings: DatabaseSettings =
    url === undefined ? { kind: 'sqlite', path: join(home, 'storage.sqlite') } : { kind: 'postgres', url }
  const environment: Record<string, string> = {
    CAIRN_HOME: home,
    ...(url === undefined ? {} : { CAIRN_DATABASE_URL: url }),
  }
  const open = (until: number) => openDatabase<Schema>(settings, { migrations: migrations.slice(0, until) })
  await (await open(contraction)).close()
  const before = await inspectDatabase(settings)
  for (const command of [['audit'], ['accounts', 'list']]) {
    const { code, complained } = await runAdmin(environment, ...command)
    expect([code, complained]).toEqual([78, expect.stringContaining(migrations[contraction]?.name ?? 'none')])
  }
  expect(await inspectDatabase(settings)).toEqual(before)
  // An expansion harms no running version.
  await (await open(contraction + 1)).close()
  expect(await runAdmin(environment, 'audit')).toMatchObject({ code: 0 })
})
