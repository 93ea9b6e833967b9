import { expect, test } from 'vitest'
import type { LocalFile } from '../local-source.ts'
import { prepareAhead } from './prepare-ahead.ts'

function* filesOf(count: number, opened: string[]): Generator<LocalFile> {
  for (let at = 0; at < count; at++) {
    const name = `${at}.txt`
    opened.push(name)
    yield { name, sizeBytes: 1, canReopen: true, open: () => [new Uint8Array(1)] }
  }
}

test('derives the keys of the next three files while the first one waits its turn', async () => {
  const opened: string[] = []
  const prepared = prepareAhead(filesOf(6, opened), {})
  const first = await prepared.next()
  expect(first.value?.file.name).toBe('0.txt')
  expect(opened).toEqual(['0.txt', '1.txt', '2.txt', '3.txt'])
  const rest = await Array.fromAsync(prepared)
  expect(rest.map(({ file }) => file.name)).toEqual(['1.txt', '2.txt', '3.txt', '4.txt', '5.txt'])
  const keys = await Promise.all(
    rest.map(async ({ seed }) => Buffer.from((await seed?.keyBytes) ?? []).toString('hex')),
  )
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set(keys).size).toBe(5)
  expect(new Set(rest.map(({ key }) => key.masterKey)).size).toBe(5)
})

test('derives no keys ahead for the second format or for files that another thread encrypts', async () => {
  const second = await Array.fromAsync(prepareAhead(filesOf(2, []), { format: 'v2' }))
  expect(second.map(({ seed }) => seed)).toEqual([undefined, undefined])
  const blob = new Blob(['x'])
  const file: LocalFile = { name: 'x', sizeBytes: 1, canReopen: true, blob, open: () => [new Uint8Array(1)] }
  const encrypt = async function* () {
    yield new Uint8Array(1)
  }
  const [elsewhere] = await Array.fromAsync(prepareAhead([file], { encrypt }))
  expect(elsewhere?.seed).toBeUndefined()
})
