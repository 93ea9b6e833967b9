import { expect, test } from 'vitest'
import { stopStalled } from './stop-stalled.ts'

async function* count(most: number): AsyncGenerator<number> {
  for (let at = 0; at < most; at++) yield at
}

test('never reports an active reader', async () => {
  let stalls = 0
  const seen: number[] = []
  for await (const part of stopStalled(count(3), 60_000, () => stalls++)) seen.push(part)
  expect(seen).toEqual([0, 1, 2])
  expect(stalls).toBe(0)
})

test('reports a stalled reader, and closes the source when it disconnects', async () => {
  let isClosed = false
  async function* source() {
    try {
      yield* count(1000)
    } finally {
      isClosed = true
    }
  }
  await new Promise<void>((resolve) => {
    const parts = stopStalled(source(), 1, () => {
      void parts.return().then(() => resolve())
    })
    void parts.next()
  })
  expect(isClosed).toBe(true)
})
