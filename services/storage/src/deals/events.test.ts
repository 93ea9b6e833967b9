// What accounts learn about the deals with their content.
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { uploadColumns } from '../db/upload-columns.ts'
import { spreadAggregateEvents } from '../events/aggregate-events.ts'
import { testAddress } from '../uploads/open-test-context.suite.ts'
import { challengeMs, fill, openDeals, waitMs } from './open-deals.fixture.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

describe.each(databaseKinds)('events of deals on %s', (kind) => {
  test('report first proofs, missed and resumed ones, and a loss, once per account', async () => {
    await using deals = await openDeals(kind, postgres)
    const { context } = deals.test
    const other = '0x2222222222222222222222222222222222222222'
    const read = async (address: string) => {
      // As two replicas would, at the same time.
      const spread = async () => {
        while (await spreadAggregateEvents(context)) {}
      }
      await Promise.all([spread(), spread()])
      const rows = await context.db.read
        .selectFrom('account_event')
        .select(['type', 'data'])
        .where('address', '=', address)
        .where('type', 'not like', 'upload.%')
        .orderBy('sequence')
        .execute()
      return rows.map(({ type, data }) => `${type} ${JSON.parse(data).provider}`)
    }
    await context.db.write((trx) =>
      trx
        .insertInto('account')
        .values({ address: other, created_at: 1, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 })
        .execute(),
    )
    await deals.upload('file', fill(300, 1))
    // Another account has the same content, in the same pack.
    await context.db.write(async (trx) => {
      const [row] = await trx.selectFrom('upload').select(uploadColumns).execute()
      const [link] = await trx.selectFrom('upload_pack').selectAll().execute()
      if (row === undefined || link === undefined) throw new Error('nothing is stored')
      await trx
        .insertInto('upload')
        .values({ ...row, id: 'other', address: other })
        .execute()
      await trx
        .insertInto('upload_pack')
        .values({ ...link, upload_id: 'other' })
        .execute()
    })
    await deals.goOn(waitMs + 2000)
    expect(await deals.states()).toEqual(['one proving', 'six proving'])
    const active = ['deal.active one', 'deal.active six']
    expect((await read(testAddress)).toSorted()).toEqual(active)
    expect((await read(other)).toSorted()).toEqual(active)

    const [one] = deals.providers
    if (one === undefined) throw new Error('there is no provider')
    one.mood = 'silent'
    await deals.goOn(challengeMs * 0.6)
    one.mood = 'honest'
    await deals.goOn(challengeMs / 2)
    expect((await read(testAddress)).slice(2)).toEqual(['proof.missed one', 'proof.resumed one'])
    one.mood = 'silent'
    await deals.goOn(challengeMs * 2)
    expect((await read(testAddress)).slice(4, 6)).toEqual(['proof.missed one', 'deal.lost one'])
    expect(await read(other)).toEqual(await read(testAddress))
  })
})
