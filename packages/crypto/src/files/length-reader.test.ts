import { expect, test } from 'vitest'
import { createLengthReader } from './length-reader.ts'
import { openSource } from './source.ts'

test('a stream that ends within its first piece uses the memory of that piece', async () => {
  for (const read of ['read', 'readChunk'] as const) {
    const reader = createLengthReader(openSource([new Uint8Array([1, 2, 3])]))
    const bytes = await reader[read](1024 * 1024)
    expect([...bytes]).toEqual([1, 2, 3])
    expect(bytes.buffer.byteLength).toBe(3)
    expect(await reader.isAtEnd()).toBe(true)
    expect((await reader[read](1024 * 1024)).length).toBe(0)
  }
})

test.each(['read', 'readChunk'] as const)('%s returns equal lengths of any pieces, and the rest', async (read) => {
  const bytes = Uint8Array.from({ length: 50 }, (_none, i) => i)
  for (const pieceBytes of [1, 3, 7, 10, 20, 50]) {
    const pieces = Array.from({ length: Math.ceil(50 / pieceBytes) }, (_none, i) =>
      bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes),
    )
    const reader = createLengthReader(openSource(pieces))
    const got: number[] = []
    for (const length of [20, 20, 10, 0]) {
      const chunk = await reader[read](20)
      expect(chunk.length).toBe(length)
      got.push(...chunk)
    }
    expect(got).toEqual([...bytes])
  }
})

test('chunks of a long stream share one buffer, other reads do not', async () => {
  const open = () => createLengthReader(openSource([new Uint8Array(100)]))
  const chunks = open()
  await chunks.readChunk(10)
  expect((await chunks.readChunk(10)).buffer).toBe((await chunks.readChunk(10)).buffer)
  const reads = open()
  expect((await reads.read(10)).buffer).not.toBe((await reads.read(10)).buffer)
})
