import { expect, test } from 'vitest'
import { createPartGroup } from './part-group.ts'

test('a service that is still starting when its group is disposed stops as soon as it has started', async () => {
  const group = createPartGroup()
  const { promise, resolve } = Promise.withResolvers<AsyncDisposable>()
  const events: string[] = []
  const part = group.start(promise)
  const failed = group.start(Promise.reject<AsyncDisposable>(new Error('it did not start')))
  const disposed = group[Symbol.asyncDispose]().then(() => events.push('the group is disposed'))
  const service = { [Symbol.asyncDispose]: async () => void events.push('the service stops') }
  resolve(service)
  expect(await part).toBe(service)
  await expect(failed).rejects.toThrow('it did not start')
  await disposed
  expect(events).toEqual(['the service stops', 'the group is disposed'])
})
