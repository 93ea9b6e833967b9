import { expect, test } from 'vitest'
import { createOrderedRunner } from './run-in-order.ts'

/** A task that records its start, and ends when the test says so. */
function createTask(name: string, started: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const run = () => {
    started.push(name)
    return promise
  }
  return { run, resolve, reject }
}

/** Lets everything run that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('tasks that share a key run in order, others at the same time', async () => {
  const started: string[] = []
  const runInOrder = createOrderedRunner()
  const tasks = ['a1', 'b1', 'a2', 'ab', 'a3', 'b2'].map((name) => createTask(name, started))
  const keys = [['a'], ['b'], ['a'], ['a', 'b'], ['a'], ['b']]
  const all = tasks.map(({ run }, at) => runInOrder(keys[at] ?? [], run))
  await settle()
  expect(started).toEqual(['a1', 'b1'])
  tasks[0]?.resolve()
  await settle()
  expect(started).toEqual(['a1', 'b1', 'a2'])
  tasks[2]?.resolve()
  await settle()
  expect(started).toEqual(['a1', 'b1', 'a2'])
  tasks[1]?.resolve()
  await settle()
  expect(started).toEqual(['a1', 'b1', 'a2', 'ab'])
  for (const { resolve } of tasks) resolve()
  await Promise.all(all)
  expect(started.slice(4).sort()).toEqual(['a3', 'b2'])
})

test('tasks that wait for a failing one do not start, later ones do', async () => {
  const started: string[] = []
  const runInOrder = createOrderedRunner()
  const [first, second, other] = ['first', 'second', 'other'].map((name) => createTask(name, started))
  if (first === undefined || second === undefined || other === undefined) throw new Error('three tasks')
  const all = [runInOrder(['a'], first.run), runInOrder(['a'], second.run), runInOrder(['b'], other.run)]
  first.reject(new Error('the first'))
  other.resolve()
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  const later = createTask('later', started)
  later.resolve()
  await runInOrder(['a'], later.run)
  expect(started).toEqual(['first', 'other', 'later'])
})
