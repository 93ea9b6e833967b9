import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readCidList } from './read-cid-list.ts'

const a = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const b = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

async function read(text: string) {
  const items = await Array.fromAsync(readCidList(Readable.from([text])))
  return items.map(({ cid, name, mimeType, isEncrypted, sizeBytes, error }) =>
    error === undefined ? { cid, name, mimeType, isEncrypted, sizeBytes } : error.code,
  )
}
const plain = { name: undefined, mimeType: undefined, isEncrypted: false, sizeBytes: undefined }

test('reads lines with comments, gateway addresses and Windows line ends', async () => {
  expect(await read(`\uFEFF# mine\r\n${a}\r\n\r\nipfs://${b}\r\nhttps://ipfs.io/ipfs/${a}/\r\n`)).toEqual([
    { ...plain, cid: a },
    { ...plain, cid: b },
    { ...plain, cid: a },
  ])
})

test('reads CSV with and without a header, quoted names and tabs', async () => {
  expect(await read(`${a},"a ""b"", c.txt"\n`)).toEqual([{ ...plain, cid: a, name: 'a "b", c.txt' }])
  expect(await read(`Name,Size,CID,encrypted\nx.txt,12,${a},true\n,,${b},\n`)).toEqual([
    { cid: a, name: 'x.txt', mimeType: undefined, isEncrypted: true, sizeBytes: 12 },
    { ...plain, cid: b },
  ])
  expect(await read(`cid\tname\n${a}\ta, b\n`)).toEqual([{ ...plain, cid: a, name: 'a, b' }])
})

test('reads JSON lines as `cairn export` and `cairn ls --json` write them, and an array', async () => {
  const row = { cid: a, name: 'n', mimeType: 'text/plain', isEncrypted: true, sizeBytes: 5 }
  expect(await read(`${JSON.stringify(row)}\n`)).toEqual([row])
  const listed = { cid: a, fileName: 'n', mimeType: null, encryption: false, fileSizeInBytes: '5' }
  expect(await read(JSON.stringify(listed))).toEqual([{ ...plain, cid: a, name: 'n', sizeBytes: 5 }])
  expect(await read(`[\n"${a}",\n{"ipfs_pin_hash": "${b}"}]`)).toEqual([
    { ...plain, cid: a },
    { ...plain, cid: b },
  ])
})

test('reads the outputs of `storacha ls`, as JSON and with shards', async () => {
  const row = { root: { '/': a }, shards: [{ '/': 'bagbaieraxxx' }], insertedAt: '2025-01-01T00:00:00Z' }
  expect(await read(`${JSON.stringify(row)}\n${JSON.stringify({ root: { '/': b } })}\n`)).toEqual([
    { ...plain, cid: a },
    { ...plain, cid: b },
  ])
  expect(await read(`${a}\n└─┬ shards\n  ├── bagbaieraxxx\n  └── bagbaierayyy\n${b}\n`)).toEqual([
    { ...plain, cid: a },
    { ...plain, cid: b },
  ])
})

test('reports a line without a CID as an item that cannot be imported, and rejects a broken array', async () => {
  expect(await read(`${a}\nhello\n{"name":"x"}\n{"cid":\n`)).toEqual([
    { ...plain, cid: a },
    'INVALID_CID',
    'INVALID_CID',
    'INVALID_CID',
  ])
  await expect(read('["a",')).rejects.toMatchObject({ code: 'USAGE' })
})
