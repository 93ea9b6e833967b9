import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { runAdmin } from './admin.fixture.ts'

test('verify-config names the migration after which earlier versions cannot start', async () => {
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
