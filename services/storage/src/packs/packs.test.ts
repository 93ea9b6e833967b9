import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, describe } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { packSuite } from './packs.suite.ts'

describe('on SQLite', () => {
  let folder = ''
  let count = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-packs-db-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  packSuite('packs', () => openDatabase({ kind: 'sqlite', path: join(folder, `${count++}.sqlite`) }))
})

describe('on PostgreSQL', () => {
  let server: PostgresFixture
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  packSuite('packs', async () => openDatabase({ kind: 'postgres', url: await server.createDatabase(), poolSize: 6 }))
})
