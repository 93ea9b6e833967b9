// A migration that declares an expansion must leave in place what the previous version uses (docs/operate/upgrade.md).
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Migration } from '@cairn/service'
import { expect, test } from 'vitest'
import { columnTypes } from '../packages/service/src/database/migration.ts'

const root = resolve(import.meta.dirname, '..')
const files = ['storage', 'keynode', 'provider'].flatMap((service) => {
  const folder = `services/${service}/src/db/migrations`
  return readdirSync(join(root, folder))
    .filter((name) => /^\d{4}_[a-z0-9-]+\.ts$/.test(name))
    .map((name) => `${folder}/${name}`)
})

/** Indexes that only make queries faster: an older version runs without them. */
const plainIndexes = new Set<string>()
for (const { statements } of await Promise.all(files.map(readMigration))) {
  for (const sql of Object.values(columnTypes).flatMap(statements)) {
    const name = /^create index (\w+)/.exec(sql.trim())?.[1]
    if (name !== undefined) plainIndexes.add(name)
  }
}

async function readMigration(path: string): Promise<Migration> {
  const exported: Record<string, Migration> = await import(join(root, path))
  const [migration] = Object.values(exported)
  if (migration === undefined) throw new Error(`${path} exports no migration`)
  return migration
}

/** Returns the statements that an older version may not survive. */
function findBreaking(statements: readonly string[]): string[] {
  const created = new Set<string>()
  const added = new Set<string>()
  return statements.filter((text) => {
    const sql = text.replace(/\s+/g, ' ').trim().toLowerCase()
    const table = /^create (?:virtual )?table (\w+)/.exec(sql)?.[1]
    if (table !== undefined) {
      created.add(table)
      return false
    }
    const column = /^alter table (\w+) add column (\w+) (.*)$/.exec(sql)
    if (column !== null) {
      const [, owner = '', name = '', rest = ''] = column
      added.add(name)
      // An older version inserts rows without the column.
      return rest.includes('not null') && !rest.includes('default') && !created.has(owner)
    }
    const unique = /^create unique index \w+ on (\w+) (.*)$/.exec(sql)
    if (unique !== null) {
      const [, owner = '', rest = ''] = unique
      // Rows of an older version must not collide: its rows have no value in the new column.
      return !created.has(owner) && ![...added].some((name) => new RegExp(`\\b${name}\\b`).test(rest))
    }
    const dropped = /^drop index (\w+)$/.exec(sql)?.[1]
    if (dropped !== undefined) return !plainIndexes.has(dropped)
    return !/^(create index|create trigger|create function|insert into|update) /.test(sql)
  })
}

test('finds what breaks an older version', () => {
  const breaking = [
    'drop table account',
    'alter table account rename to customer',
    'alter table account drop column name',
    'alter table account add column x text not null',
    'create unique index account_name on account (name)',
    'delete from account',
    'drop index deal_active',
  ]
  const others = ['alter table account add column y text', 'create table z (a text)', 'drop index upload_root']
  expect(findBreaking([...breaking, ...others])).toEqual(breaking)
})

test.each(files)('%s is what it declares', async (path) => {
  const migration = await readMigration(path)
  expect(`${migration.name}.ts`).toBe(path.split('/').at(-1))
  if (migration.change === 'contract') return
  expect(findBreaking(Object.values(columnTypes).flatMap((types) => migration.statements(types)))).toEqual([])
})
