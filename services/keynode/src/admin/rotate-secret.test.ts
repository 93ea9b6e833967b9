import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { callAs, createTestWallet, openTestSession, startTestNode } from '../test-node.fixture.ts'
import { runKeyNodeAdmin } from './admin.fixture.ts'

let postgres: PostgresFixture
let folder: string
beforeAll(async () => {
  postgres = await startPostgres(migrations)
  folder = await mkdtemp(join(tmpdir(), 'cairn-keynode-rotate-'))
})
afterAll(async () => {
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

const cid = `bafkrei${'a'.repeat(51)}q`
const [first, second, third] = ['11', '22', '33'].map((byte) => byte.repeat(32)) as [string, string, string]

test.each(databaseKinds)(
  'replaces the secret of a running node, which keeps its did:key: %s',
  async (kind) => {
    const home = await mkdtemp(join(folder, kind))
    const base = {
      CAIRN_KEYNODE_NUMBER: '1',
      CAIRN_KEYNODE_HOME: home,
      ...(kind === 'postgres' ? { CAIRN_KEYNODE_DATABASE_URL: await postgres.createDatabase() } : {}),
    }
    const wallet = createTestWallet()
    const start = (secrets: Record<string, string>) => startTestNode({ ...base, ...secrets }, { home })
    const retrieve = async (node: Awaited<ReturnType<typeof start>>) =>
      callAs(node, await openTestSession(node, wallet), 'POST', '/api/retrieveSharedKey/1', {
        cid,
        withAlternatives: true,
      })
    let publicKey: string
    let before: unknown
    {
      const node = await start({ CAIRN_KEYNODE_SECRET: first })
      const owner = await openTestSession(node, wallet)
      await callAs(node, owner, 'POST', '/api/setSharedKey/1', { cid, payload: { key: '1', index: '1' } })
      publicKey = node.publicKey
      before = (await retrieve(node)).json
      await node.stop()
    }
    expect(before).toMatchObject({ payload: { key: expect.stringMatching(/1$/) } })
    await expect(start({ CAIRN_KEYNODE_SECRET: second })).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })

    const both = { CAIRN_KEYNODE_SECRET: second, CAIRN_KEYNODE_SECRET_SECONDARY: first }
    const rotate = async (secrets: Record<string, string>, ...args: string[]) => {
      const run = await runKeyNodeAdmin({ ...base, ...secrets }, 'secret', 'rotate', '--json', ...args)
      return run.code === 0 ? run.json.at(-1) : JSON.parse(run.complained).code
    }
    {
      const node = await start(both)
      expect([node.publicKey, (await retrieve(node)).json]).toEqual([publicKey, before])
      expect(await rotate(both, '--dry-run')).toMatchObject({ sealed: 0, left: 1, isDryRun: true })
      expect(await rotate(both)).toMatchObject({ sealed: 1, left: 0, damaged: 0 })
      expect(await rotate(both)).toMatchObject({ sealed: 0, left: 0 })
      expect((await retrieve(node)).json).toEqual(before)
      await node.stop()
    }
    // The old secret opens nothing any more, and the new one opens everything.
    await expect(start({ CAIRN_KEYNODE_SECRET: first })).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
    const node = await start({ CAIRN_KEYNODE_SECRET: second })
    expect([node.publicKey, (await retrieve(node)).json]).toEqual([publicKey, before])
    await node.stop()

    expect(await rotate({ CAIRN_KEYNODE_SECRET: second })).toBe('INVALID_CONFIGURATION')
    expect(await rotate({ CAIRN_KEYNODE_SECRET: second, CAIRN_KEYNODE_SECRET_SECONDARY: second })).toBe(
      'INVALID_CONFIGURATION',
    )
    expect(await rotate({ CAIRN_KEYNODE_SECRET: third, CAIRN_KEYNODE_SECRET_SECONDARY: first })).toBe(
      'INVALID_CONFIGURATION',
    )
    const { json } = await runKeyNodeAdmin({ ...base, CAIRN_KEYNODE_SECRET: second }, 'audit', '--json')
    expect(json.map(({ action }) => action)).toEqual(['secret rotate', 'secret rotate'])
  },
  60_000,
)
