import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readSteadily } from './read-steadily.ts'

const never = new AbortController().signal

/** Takes a piece only after a few turns of the event loop, as a writer to disk does. */
function slowly(taken: string[]): (piece: Uint8Array) => Promise<void> {
  return async (piece) => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    taken.push(Buffer.from(piece).toString())
  }
}

test('a body that is there as a whole before it is read is not over before its last piece is taken', async () => {
  const body = new Readable({ read() {} })
  body.push('all of it')
  body.push(null)
  const taken: string[] = []
  await readSteadily(body, never)(slowly(taken))
  expect(taken).toEqual(['all of it'])
})

test('pieces come one at a time and in order, however slowly they are taken', async () => {
  const body = Readable.from(['a', 'b', 'c'].map((text) => Buffer.from(text)))
  const taken: string[] = []
  await readSteadily(body, never)(slowly(taken))
  expect(taken).toEqual(['a', 'b', 'c'])
})

test('a body that breaks off is an error, after what was being taken is done', async () => {
  const body = new Readable({ read() {} })
  body.push('half')
  const taken: string[] = []
  const reading = readSteadily(body, never)(slowly(taken))
  setImmediate(() => body.destroy())
  await expect(reading).rejects.toMatchObject({ code: 'INVALID_MULTIPART' })
  expect(taken).toEqual(['half'])
})

test('a signal ends the reading with its reason', async () => {
  const stop = new AbortController()
  const reading = readSteadily(new Readable({ read() {} }), stop.signal)(() => undefined)
  stop.abort()
  await expect(reading).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
})
