import { expect, test } from 'vitest'
import { createUploadOrder, describeDisplaced, type Outcome } from './upload-order.ts'

/** An upload that records its start, and ends when the test says so. */
function createUpload(label: string, started: string[]) {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const work = () => {
    started.push(label)
    return promise
  }
  return { work, resolve }
}

/** Lets everything run that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve))
const named = (name: string, cid: string) => ({ name, cid })

test('uploads of one CID run in order, others at the same time', async () => {
  const started: string[] = []
  const order = createUploadOrder()
  const [one, same, other] = ['one', 'same', 'other'].map((label) => createUpload(label, started))
  if (one === undefined || same === undefined || other === undefined) throw new Error('three uploads')
  const all = [order.run(named('a', 'c1'), one.work), order.run(named('b', 'c1'), same.work)]
  all.push(order.run(named('c', 'c2'), other.work))
  await settle()
  expect(started).toEqual(['one', 'other'])
  for (const { resolve } of [one, same, other]) resolve('stored')
  await Promise.all(all)
  expect(started).toEqual(['one', 'other', 'same'])
})

test('names that the drive treats as one share their order', async () => {
  const started: string[] = []
  const order = createUploadOrder()
  const [one, other] = ['one', 'other'].map((label) => createUpload(label, started))
  if (one === undefined || other === undefined) throw new Error('two uploads')
  const all = [order.run(named('a/b.txt', 'c1'), one.work), order.run(named('a_b.txt', 'c2'), other.work)]
  await settle()
  expect(started).toEqual(['one'])
  one.resolve('stored')
  other.resolve('stored')
  await Promise.all(all)
})

test('a name is replaced if an older upload was stored after its newest one', async () => {
  const order = createUploadOrder()
  const outcomes: [string, string, Outcome][] = [
    ['right', 'r1', 'done before'],
    ['right', 'r2', 'stored'],
    ['late', 'l1', 'stored'],
    ['late', 'l2', 'done before'],
    ['late', 'l3', 'done before'],
    ['late', 'l4', 'neither'],
    ['again', 'a1', 'stored'],
    ['again', 'a2', 'done before'],
    ['again', 'a3', 'stored'],
  ]
  for (const [name, cid, outcome] of outcomes) await order.run({ name, cid }, async () => outcome)
  expect(order.displaced()).toEqual([{ name: 'late', cid: 'l3' }])
  expect(order.displaced().map(describeDisplaced)).toEqual([
    expect.stringContaining('cairn drive restore "late" --cid l3'),
  ])
})
