import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createBackupKey } from '@cairn/service/backup'
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

test('verify-config rejects a recipient of backups that is not one, without printing it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-verify-'))
  const verify = (recipients: string) =>
    runAdmin({ CAIRN_HOME: home, CAIRN_BACKUP_RECIPIENTS: recipients }, 'verify-config')
  try {
    const { identity, recipient } = await createBackupKey()
    expect((await verify(recipient)).lines.join('\n')).not.toContain('CAIRN_BACKUP_RECIPIENTS')
    const { code, lines } = await verify(`${recipient},${identity}`)
    expect(code).toBe(1)
    expect(lines).toContain(
      'error  CAIRN_BACKUP_RECIPIENTS: Recipient 2 of CAIRN_BACKUP_RECIPIENTS is not an age recipient.',
    )
    expect(lines.join('\n')).not.toContain(identity)
  } finally {
    rmSync(home, { recursive: true })
  }
})
