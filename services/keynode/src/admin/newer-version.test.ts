import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspectDatabase, openDatabase } from '@cairn/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { runKeyNodeAdmin } from './admin.fixture.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-newer-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

test('no command of a newer version contracts the database of a running node', async () => {
  const settings = { kind: 'sqlite', path: join(home, 'keynode.sqlite') } as const
  const environment = {
    CAIRN_KEYNODE_NUMBER: '1',
    CAIRN_KEYNODE_HOME: home,
    CAIRN_KEYNODE_SECRET: '11'.repeat(32),
  }
  const contraction = migrations.findLastIndex(({ change }) => change === 'contract')
  const open = (until: number) => openDatabase<Schema>(settings, { migrations: migrations.slice(0, until) })
  await (await open(contraction)).close()
  const before = await inspectDatabase(settings)
  const { code, complained } = await runKeyNodeAdmin(environment, 'backup', join(home, 'backups'))
  expect([code, complained]).toEqual([78, expect.stringContaining(migrations[contraction]?.name ?? 'none')])
  expect(await inspectDatabase(settings)).toEqual(before)
  // An expansion harms no running version.
  await (await open(contraction + 1)).close()
  expect(await runKeyNodeAdmin(environment, 'audit')).toMatchObject({ code: 0 })
})
