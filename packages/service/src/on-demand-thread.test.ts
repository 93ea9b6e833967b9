import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createOnDemandThread } from './on-demand-thread.ts'

const program = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', (question) => {
  if (question === 'fail') throw new Error('broken')
  parentPort.postMessage(question)
})`

function openThread() {
  const answers: string[] = []
  const ends: unknown[] = []
  const thread = createOnDemandThread<string>(
    () => new Worker(program, { eval: true }),
    (answer) => void answers.push(answer),
    (cause) => void ends.push(cause),
  )
  return { thread, answers, ends }
}

test('starts one thread, which answers', async () => {
  const { thread, answers } = openThread()
  await using _ends = thread
  const first = thread.open()
  expect(thread.open()).toBe(first)
  expect(thread.isOpen(first)).toBe(true)
  first.postMessage('one')
  await expect.poll(() => answers).toEqual(['one'])
})

test('reports the end of a thread once, and starts another', async () => {
  const { thread, answers, ends } = openThread()
  await using _ends = thread
  const first = thread.open()
  const exited = Promise.withResolvers<void>()
  first.on('exit', () => exited.resolve())
  first.postMessage('fail')
  await exited.promise
  expect(ends).toEqual([expect.objectContaining({ message: 'broken' })])
  expect(thread.isOpen(first)).toBe(false)
  const second = thread.open()
  expect(second).not.toBe(first)
  second.postMessage('two')
  await expect.poll(() => answers).toEqual(['two'])
})

test('closes the thread', async () => {
  const { thread, ends } = openThread()
  const first = thread.open()
  await thread[Symbol.asyncDispose]()
  expect(ends).toEqual([expect.stringMatching(/^the thread exited with code \d$/)])
  expect(thread.isOpen(first)).toBe(false)
})
