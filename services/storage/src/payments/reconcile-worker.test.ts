import { expect, test } from 'vitest'
import { openTestContext } from '../uploads/open-test-context.suite.ts'
import { createReconcileWorker } from './reconcile-worker.ts'

test('compares the books once a day, also after a clock that was ahead', async () => {
  const clock = { ms: Date.now(), now: () => clock.ms }
  await using test = await openTestContext(1000, {}, { clock })
  const { context } = test
  const runRound = async () => {
    const stop = new AbortController()
    await createReconcileWorker(context, { ...clock, sleep: async () => stop.abort() }).run(stop.signal)
    return (await context.db.read.selectFrom('report').select('id').execute()).length
  }
  clock.ms += 30 * 86_400_000
  expect([await runRound(), await runRound()]).toEqual([1, 1])
  clock.ms -= 30 * 86_400_000
  expect([await runRound(), await runRound()]).toEqual([2, 2])
})
