// How SQLite runs the lists of a key node; see the test of the storage service.
import { planQueries } from '@cairn/service/query-plans-fixture'
import { expect, test } from 'vitest'
import { listEvents } from '../shards/key-events.ts'
import { listRecords } from '../shards/list.ts'
import { createKeySweep } from '../shards/sweep.ts'
import { startTestNode } from '../test-node.fixture.ts'

const address = '0x1111111111111111111111111111111111111111'
const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

test('reads a page of files in the order of its index, and events of a file from the rows of that file', async () => {
  await using node = await startTestNode()
  const { database: db, explain } = planQueries(node.context.db)
  const context = { ...node.context, db }
  for (const role of ['owner', 'recipient'] as const) {
    await listRecords(context, address, { role })
    const steps = await explain()
    expect(steps[0]).toMatch(/\(\w+=\? AND cid>\?\)$/)
    expect(steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step))).toEqual([])
  }
  await listEvents(context, address, { cid })
  const tables = (await explain()).filter((step) => /^(SEARCH|SCAN) (access|change) USING/.test(step))
  expect(tables).toHaveLength(2)
  for (const step of tables) expect(step).toMatch(/\(cid=\?\)$/)
})

test('a sweep finds retired keys whose shard exists without the others', async () => {
  await using node = await startTestNode()
  const { database: db, explain } = planQueries(node.context.db)
  await createKeySweep({ ...node.context, db })(new AbortController().signal)
  const steps = (await explain()).filter((step) => step.includes(' key ') && step.includes('updated_at<?'))
  expect(steps).toContain('SEARCH key USING INDEX key_retired (state=? AND updated_at<?)')
  // The index of undecided records.
  expect(steps.filter((step) => step.includes('key_state'))).toHaveLength(1)
})

test('a sweep reads replaced sets in the order of their index', async () => {
  await using node = await startTestNode()
  const { database: db, explain } = planQueries(node.context.db)
  await createKeySweep({ ...node.context, db })(new AbortController().signal)
  const steps = (await explain()).filter((step) => step.includes('saved_at>? AND'))
  expect(steps).toEqual(['SEARCH other_set USING INDEX other_set_saved (saved_at>? AND saved_at<?)'])
})
