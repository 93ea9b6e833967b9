import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const folder = resolve(import.meta.dirname, '../docs/decisions')
const decisions = readdirSync(folder).filter((name) => name !== 'README.md')

test('every decision has its own number', () => {
  const byNumber = Map.groupBy(decisions, (name) => name.slice(0, 4))
  expect([...byNumber.values()].filter((names) => names.length > 1)).toEqual([])
})

test.each(decisions)('%s has its number in its name and in its title', (name) => {
  expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/)
  const [title = ''] = readFileSync(join(folder, name), 'utf8').split('\n')
  expect(title).toMatch(new RegExp(`^# ${name.slice(0, 4)}:? \\S`))
})
