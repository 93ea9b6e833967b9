import { CairnError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { type SlowDocument, slowAnswer } from './slow-answer.ts'

/** Starts a response that does not wait for its document, and returns its body as text. */
async function start(work: Promise<SlowDocument>) {
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  const { status, body } = await slowAnswer(work, { requestId: 'id', onFailure, patienceMs: 1 })
  if (typeof body !== 'function') throw new TypeError('the response waited')
  return { status, failures, read: async () => Buffer.concat(await Array.fromAsync(body())).toString() }
}

test('reports a failure after the start of the response in its body', async () => {
  const work = Promise.withResolvers<SlowDocument>()
  const answer = await start(work.promise)
  const text = answer.read()
  const error = new CairnError('INTERNAL', { message: 'the disk is broken' })
  work.reject(error)
  expect(answer.status).toBe(200)
  expect(await text).toContain('<Code>InternalError</Code>')
  expect(answer.failures).toEqual([error])
})

test('reports a failure after the client disconnected', async () => {
  const work = Promise.withResolvers<SlowDocument>()
  const answer = await start(work.promise)
  work.reject(new Error('unexpected'))
  await expect(work.promise).rejects.toThrow('unexpected')
  expect(answer.failures).toHaveLength(1)
})

test('a document that is ready late follows the headers', async () => {
  const work = Promise.withResolvers<SlowDocument>()
  const answer = await start(work.promise)
  const xml = '<?xml version="1.0" encoding="UTF-8"?>\n<Done></Done>'
  work.resolve({ xml, headers: {} })
  expect((await answer.read()).replaceAll(/>\n *</g, '>\n<')).toBe(xml)
  expect(answer.failures).toEqual([])
})
