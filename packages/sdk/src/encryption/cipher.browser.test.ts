import { randomBytes } from 'node:crypto'
import { generateKey } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import * as browser from './cipher.browser.ts'
import * as node from './cipher.ts'

const { masterKey } = generateKey()
const mebibyte = 1024 * 1024

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function join(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece.slice())
  return Buffer.concat(all)
}

test('Node decrypts the first format of a browser and the reverse, beyond one Blob of the spool', async () => {
  const seed = { salt: new Uint8Array(randomBytes(16)), iv: new Uint8Array(randomBytes(12)) }
  const plain = new Uint8Array(randomBytes(19 * mebibyte + 3))
  const sealed = await join(browser.encryptV1(cut(plain, 700_001), masterKey, seed))
  expect(sealed.equals(await join(node.encryptV1(cut(plain, mebibyte), masterKey, seed)))).toBe(true)
  expect((await join(node.decryptV1(cut(sealed, mebibyte), masterKey))).equals(plain)).toBe(true)
  expect((await join(browser.decryptV1(cut(sealed, 300_007), masterKey))).equals(plain)).toBe(true)
  expect((await join(browser.decryptUnverifiedV1(cut(sealed, 300_007), masterKey))).equals(plain)).toBe(true)
})

test('releases nothing of a changed file, however late the change', async () => {
  const sealed = await join(
    browser.encryptV1([new Uint8Array(9 * mebibyte)], masterKey, {
      salt: new Uint8Array(16),
      iv: new Uint8Array(12),
    }),
  )
  for (const at of [40, 5 * mebibyte, sealed.length - 17, sealed.length - 1]) {
    const changed = Uint8Array.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 4
    let released = 0
    const work = async () => {
      for await (const piece of browser.decryptV1(cut(changed, mebibyte), masterKey)) released += piece.length
    }
    await expect(work(), String(at)).rejects.toSatisfy((error) => CairnError.is(error, 'DECRYPTION_FAILED'))
    expect(released, String(at)).toBe(0)
  }
})
