import { makeZip } from 'client-zip'
import { expect, test } from 'vitest'
import { endZip } from './end-zip.ts'

const bytesOf = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces)

/** Writes a ZIP of small files with client-zip, one folder among them, and returns its bytes. */
async function writeZip(entryCount: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let isClosed = false
  const file = endZip(
    {
      write: async (bytes) => void pieces.push(bytes.slice()),
      close: async () => {
        isClosed = true
      },
      abort: async () => undefined,
    },
    () => entryCount,
  )
  const lastModified = new Date(0)
  function* entries() {
    // As long as the record at the end of a ZIP.
    yield { name: 'like-an-end.txt', lastModified, input: new Uint8Array(22).fill(0x50) }
    yield { name: 'folder', lastModified }
    for (let count = 2; count < entryCount; count++) yield { name: `${count}`, lastModified, input: new Uint8Array(1) }
  }
  const reader = makeZip(entries()).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) await file.write(next.value)
  await file.close()
  expect(isClosed).toBe(true)
  return bytesOf(pieces)
}

test('a ZIP of more than 65,534 entries states their number as a ZIP64', async () => {
  const zip = await writeZip(65_536)
  const end = zip.subarray(-22)
  expect([end.readUInt32LE(0), end.readUInt16LE(10)]).toEqual([0x06054b50, 0xffff])
  const locator = zip.subarray(-42, -22)
  expect([locator.readUInt32LE(0), locator.readUInt32LE(16)]).toEqual([0x07064b50, 1])
  const record = zip.subarray(Number(locator.readBigUInt64LE(8)))
  expect(record.length).toBe(56 + 20 + 22)
  expect([record.readUInt32LE(0), Number(record.readBigUInt64LE(4))]).toEqual([0x06064b50, 44])
  expect([24, 32].map((at) => Number(record.readBigUInt64LE(at)))).toEqual([65_536, 65_536])
  // The list of entries starts where the record says, and ends at the record.
  const [listBytes, listAt] = [40, 48].map((at) => Number(record.readBigUInt64LE(at)))
  expect([listBytes, listAt]).toEqual([end.readUInt32LE(12), end.readUInt32LE(16)])
  expect((listAt ?? 0) + (listBytes ?? 0)).toBe(zip.length - record.length)
  let count = 0
  for (let at = listAt ?? 0; zip.readUInt32LE(at) === 0x02014b50; at += 46 + zip.readUInt16LE(at + 28)) count++
  expect(count).toBe(65_536)
})

test('writes a smaller ZIP like client-zip', async () => {
  const zip = await writeZip(3)
  const end = zip.subarray(-22)
  expect([end.readUInt32LE(0), end.readUInt16LE(10)]).toEqual([0x06054b50, 3])
  expect(end.readUInt32LE(16) + end.readUInt32LE(12)).toBe(zip.length - 22)
})
