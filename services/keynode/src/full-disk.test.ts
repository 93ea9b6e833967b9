import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { writeChangeOnce } from './sessions/check-proof.ts'
import { startTestNode } from './test-node.fixture.ts'

test('a change that fills the disk fails as such, and its proof stays usable', async () => {
  // Nothing else is written.
  const background = () => ({ [Symbol.asyncDispose]: async () => undefined })
  await using node = await startTestNode({}, { background })
  const { context } = node
  const proof = { id: 'key proof', expiresAt: node.now() + 1, isMarked: false, mark: () => delay(0) }
  const caller = {
    address: 'owner',
    challengeId: 'challenge',
    sessionId: 'session',
    isBound: true,
    peer: undefined,
    proof,
  }
  await context.db.write(async (trx) => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(trx)
    await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + 2}`).execute(trx)
  })
  const fill = writeChangeOnce(context, caller, async (trx) => {
    for (let count = 0; count < 100; count++) {
      const id = `${count}`.padEnd(3_000)
      await trx.insertInto('seen_proof').values({ id, expires_at: 1 }).execute()
    }
  })
  // SQLite then ends the whole transaction, including the savepoint of the change.
  await expect(fill).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  expect(proof.isMarked).toBe(false)
  expect(await context.db.read.selectFrom('seen_proof').selectAll().execute()).toEqual([])
  await expect(writeChangeOnce(context, caller, async () => 'stored')).resolves.toBe('stored')
})

test('the metrics show the disk of the home', async () => {
  await using node = await startTestNode()
  const text = await node.context.metrics.registry.metrics()
  expect(text).toMatch(/^cairn_disk_free_bytes\{folder="home"\} [1-9]/m)
  expect(text).toMatch(/^cairn_disk_size_bytes\{folder="home"\} [1-9]/m)
})
