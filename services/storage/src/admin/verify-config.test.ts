import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { runAdmin } from './admin.fixture.ts'

test('verify-config reports the migration after which earlier versions cannot start', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-verify-'))
  const environment = { CAIRN_HOME: home, CAIRN_STORAGE_SECRET: 'ab'.repeat(32) }
  const last = migrations.findLastIndex(({ change }) => change === 'contract')
  const { name = '' } = migrations[last] ?? {}
  try {
    using database = new DatabaseSync(join(home, 'storage.sqlite'))
    database.exec('create table migration (name text, change text)')
    const insert = database.prepare('insert into migration (name, change) values (?, ?)')
    for (const done of migrations.slice(0, last)) insert.run(done.name, done.change)
    const before = (await runAdmin(environment, 'verify-config')).lines.join('\n')
    expect(before).toContain(`The next start migrates the database: ${name}`)
    expect(before).toContain(`Earlier versions cannot start after ${name}. Back up first`)
    insert.run(name, 'contract')
    expect((await runAdmin(environment, 'verify-config')).lines.join('\n')).not.toContain('Earlier versions')
  } finally {
    rmSync(home, { recursive: true })
  }
})

test('verify-config warns about an endpoint with a key that clients would receive', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-verify-'))
  const contract = `0x${'1'.repeat(40)}`
  const own = { chainId: 4242, symbol: 'OWN', contract }
  const keyed = 'https://rpc.example/v2/the-key'
  const networks = {
    own: { ...own, rpcUrls: [keyed] },
    plain: { ...own, chainId: 4243, rpcUrls: ['https://rpc.example/'] },
    stated: { ...own, chainId: 4244, rpcUrls: [keyed], publicRpcUrl: 'https://rpc.example' },
    polygon: { contract, rpcUrls: [keyed] },
  }
  try {
    const environment = { CAIRN_HOME: home, CAIRN_PAYMENTS: JSON.stringify({ networks }) }
    const { lines } = await runAdmin(environment, 'verify-config')
    expect(lines.filter((line) => line.includes('publicRpcUrl'))).toEqual([
      'warning  CAIRN_PAYMENTS: Clients get the whole URL of the first endpoint of own. Set publicRpcUrl to one without a key.',
    ])
    expect(lines.join('\n')).not.toContain('the-key')
  } finally {
    rmSync(home, { recursive: true })
  }
})
