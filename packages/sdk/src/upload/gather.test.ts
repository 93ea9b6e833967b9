import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gather, passOn } from './gather.ts'

const KIB = 1024

test('a chunk keeps its bytes while it is sent, whatever small ones follow', async () => {
  const sizes = fc.array(fc.constantFrom(0, 1, 16, 70 * KIB, 200 * KIB, 256 * KIB, 300 * KIB), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const chunks = lengths.map((length, i) => new Uint8Array(length).fill(i + 1))
      const expected = Buffer.concat(chunks)
      expect((await send(gather(reuse(chunks)))).equals(expected)).toBe(true)
    }),
    { numRuns: 300, examples: [[[300 * KIB, 70 * KIB, 16, 16]], [[300 * KIB, 16, 16, 16]]] },
  )
})

test('joins small chunks, and passes on large ones unchanged', async () => {
  const large = new Uint8Array(300 * KIB)
  const passed: Uint8Array[] = []
  for await (const chunk of gather(reuse([new Uint8Array(5), new Uint8Array(6), large]))) passed.push(chunk)
  expect(passed.map(({ length }) => length)).toEqual([11, large.length])
  expect(passed[1]).toBe(large)
})

test('passes on slow small chunks after a second, because a service cancels a silent upload', async () => {
  let time = 0
  const slowly = async function* () {
    for (let i = 1; i <= 5; i++) {
      time += 600
      yield new Uint8Array(10 * i)
    }
  }
  const passed: number[] = []
  for await (const { length } of gather(slowly(), () => time)) passed.push(length)
  expect(passed).toEqual([10 + 20 + 30, 40 + 50])
})

test('an empty chunk passes on what was joined, and the next one that nothing more is read before it is sent', async () => {
  const passed: number[] = []
  for await (const { length } of gather(
    reuse([new Uint8Array(5), new Uint8Array(6), passOn, passOn, new Uint8Array(7)]),
  ))
    passed.push(length)
  expect(passed).toEqual([11, 0, 7])
})

/** A source that reuses the memory of a chunk when the next but one is read. */
async function* reuse(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const [i, chunk] of chunks.entries()) {
    if (i > 1) chunks[i - 2]?.fill(0xff)
    yield chunk
  }
  if (chunks.length > 1) chunks.at(-2)?.fill(0xff)
}

/** A sender that reads the next chunk before the previous one is sent. */
async function send(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const sent: Buffer[] = []
  let before: Uint8Array | undefined
  for await (const chunk of chunks) {
    if (before !== undefined) sent.push(Buffer.from(before))
    before = chunk
  }
  if (before !== undefined) sent.push(Buffer.from(before))
  return Buffer.concat(sent)
}
