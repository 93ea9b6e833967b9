import { expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { keyRanges } from './key-ranges.ts'

describeOnDatabases('ranges of keys on %s', (newDatabase) => {
  test('contain each row once', async () => {
    await using storage = await startTestStorage(await newDatabase())
    const { db } = storage.context
    expect(await Array.fromAsync(keyRanges(db, 'pack', 3))).toEqual([])
    const packs = Array.from({ length: 7 }, (_, at) => BigInt(at) * 0x1000_0000_0000_0001n)
    const sums = { created_at: 1, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 }
    const accounts = ['0xa', '0xB', '0xb', 'r-1', 'r1', 'Z']
    await db.write(async (trx) => {
      for (const id of packs) {
        const row = { size_bytes: 1, block_count: 0, state: 'live' as const, created_at: 1 }
        await trx
          .insertInto('pack')
          .values({ id, object_key: `packs/${id}`, ...row })
          .execute()
      }
      await trx
        .insertInto('account')
        .values(accounts.map((address) => ({ address, ...sums })))
        .execute()
    })
    const found: bigint[][] = []
    for await (const isInRange of keyRanges(db, 'pack', 3)) {
      const rows = await db.read.selectFrom('pack').select('id').where(isInRange).orderBy('id').execute()
      found.push(rows.map(({ id }) => id))
    }
    expect(found).toEqual([packs.slice(0, 3), packs.slice(3, 6), packs.slice(6)])
    const addresses: string[] = []
    for await (const isInRange of keyRanges(db, 'account', 1)) {
      const rows = await db.read.selectFrom('account').select('address').where(isInRange).execute()
      expect(rows).toHaveLength(1)
      addresses.push(...rows.map(({ address }) => address))
    }
    expect(addresses.toSorted()).toEqual(accounts.toSorted())
  })
})
