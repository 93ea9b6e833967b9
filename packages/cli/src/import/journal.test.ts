import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openJournal } from './journal.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-journal-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('an import that completed nothing leaves no journal, unless it resumed one', async () => {
  const path = join(folder, 'cars.import.jsonl')
  const open = () => openJournal(path, { source: 'cars', account: 'one' })
  await (await open())[Symbol.asyncDispose]()
  expect(existsSync(path)).toBe(false)
  {
    await using journal = await open()
    await journal.add('a', 'bafy')
  }
  await (await open())[Symbol.asyncDispose]()
  await using again = await open()
  expect([again.size, again.has('a')]).toEqual([1, true])
})
