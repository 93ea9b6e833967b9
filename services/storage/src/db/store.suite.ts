import { CairnError } from '@cairn/protocol'
import { isUniqueViolation, type Migration, migrate, prepareStatement, type StatementParams } from '@cairn/service'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, migrations } from './database.ts'
import type { Schema } from './schema.ts'

const account = (address: string, dataLimitBytes = 100) => ({
  address,
  created_at: 1,
  data_limit_bytes: dataLimitBytes,
  data_used_bytes: 0,
  reserved_bytes: 0,
})

/** What every database guarantees. Within one test, `open` opens the same database each time; it starts empty. */
export function databaseSuite(
  name: string,
  fresh: () => Promise<{ open(): Promise<Database>; remove(): Promise<void> }>,
) {
  describe(name, () => {
    let place: Awaited<ReturnType<typeof fresh>>
    let db: Database
    beforeEach(async () => {
      place = await fresh()
      db = await place.open()
    })
    afterEach(async () => {
      await db.close()
      await place.remove()
    })

    test('the writes of a unit of work are there afterwards, and after a reopen', async () => {
      await db.write(async (trx) => {
        await trx.insertInto('account').values(account('a')).execute()
      })
      expect(await db.read.selectFrom('account').select('address').execute()).toEqual([{ address: 'a' }])
      await db.close()
      db = await place.open()
      expect(await db.read.selectFrom('account').select('address').execute()).toEqual([{ address: 'a' }])
    })

    test('announces each committed unit, once its rows can be read, until the listener is removed', async () => {
      const seen: Promise<number>[] = []
      const countRows = async () => (await db.read.selectFrom('account').select('address').execute()).length
      const remove = db.onCommit(() => seen.push(countRows()))
      const insert = (address: string) =>
        db.write((trx) => trx.insertInto('account').values(account(address)).execute())
      await insert('a')
      // Read before the next unit: PostgreSQL may run it first on another connection.
      await Promise.all(seen)
      await insert('b')
      await expect(db.write(() => Promise.reject(new Error('failed unit')))).rejects.toThrow('failed unit')
      expect(await Promise.all(seen)).toEqual([1, 2])
      remove()
      await insert('c')
      expect(seen).toHaveLength(2)
    })

    test('a failed unit leaves nothing and does not affect concurrent units', async () => {
      const units = Array.from({ length: 60 }, (_, at) =>
        db.write(async (trx) => {
          await trx
            .insertInto('account')
            .values(account(`a${at}`))
            .execute()
          if (at % 3 === 0) throw new Error(`unit ${at}`)
          return at
        }),
      )
      const results = await Promise.allSettled(units)
      for (const [at, result] of results.entries()) {
        if (at % 3 === 0) expect(result).toMatchObject({ status: 'rejected', reason: { message: `unit ${at}` } })
        else expect(result).toEqual({ status: 'fulfilled', value: at })
      }
      const rows = await db.read.selectFrom('account').select('address').execute()
      expect(rows.map(({ address }) => address).toSorted()).toEqual(
        results.flatMap((_, at) => (at % 3 === 0 ? [] : [`a${at}`])).toSorted(),
      )
    })

    test('a statement that breaks a constraint is recognisable, and breaks only its unit', async () => {
      await db.write((trx) => trx.insertInto('account').values(account('a')).execute())
      const second = db.write((trx) => trx.insertInto('account').values(account('a')).execute())
      const third = db.write((trx) => trx.insertInto('account').values(account('b')).execute())
      const error = await second.catch((thrown: unknown) => thrown)
      expect(isUniqueViolation(error)).toBe(true)
      await third
      expect(isUniqueViolation(new Error('another'))).toBe(false)
    })

    test('a prepared statement runs with its own parameters each time, in reads and in units of work', async () => {
      const insert = prepareStatement(
        (trx: Kysely<Schema>, param: StatementParams<{ address: string; limitBytes: number }>) =>
          trx
            .insertInto('account')
            .values({ ...account('', 0), address: param('address'), data_limit_bytes: param('limitBytes') })
            .returning('address'),
      )
      const find = prepareStatement((on: Kysely<Schema>, param: StatementParams<{ least: number; other: string }>) =>
        on
          .selectFrom('account')
          .select(['address', 'data_limit_bytes', 'created_at'])
          .where('data_limit_bytes', '>=', param('least'))
          .where('address', '<>', param('other'))
          .orderBy('address'),
      )
      const units = ['a', 'b', 'c'].map((address, at) => db.write((trx) => insert(trx, { address, limitBytes: at })))
      expect(await Promise.all(units)).toEqual([[{ address: 'a' }], [{ address: 'b' }], [{ address: 'c' }]])
      const row = (address: string, limitBytes: number) => ({ address, data_limit_bytes: limitBytes, created_at: 1 })
      expect(await find(db.read, { least: 1, other: '' })).toEqual([row('b', 1), row('c', 2)])
      expect(await find(db.read, { least: 0, other: 'b' })).toEqual([row('a', 0), row('c', 2)])
      expect(await db.write((trx) => find(trx, { least: 2, other: 'c' }))).toEqual([])
      await expect(db.write((trx) => insert(trx, { address: 'a', limitBytes: 9 }))).rejects.toSatisfy(isUniqueViolation)
    })

    test('exactly as many of 50 concurrent requests succeed as fit into the quota', async () => {
      await db.write((trx) => trx.insertInto('account').values(account('a', 100)).execute())
      const tries = Array.from({ length: 50 }, () =>
        db.write(async (trx) => {
          const { numUpdatedRows } = await trx
            .updateTable('account')
            .set((eb) => ({ reserved_bytes: eb('reserved_bytes', '+', 9) }))
            .where('address', '=', 'a')
            .whereRef('data_limit_bytes', '>=', sql<number>`reserved_bytes + 9`)
            .executeTakeFirstOrThrow()
          return numUpdatedRows === 1n
        }),
      )
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(11)
      const row = await db.read.selectFrom('account').select('reserved_bytes').executeTakeFirstOrThrow()
      expect(row).toEqual({ reserved_bytes: 99 })
    })

    test('integers are exact, sums too; ids of packs are bigints; bytes stay bytes', async () => {
      const id = (1_790_000_000_000n << 20n) + 5n
      await db.write(async (trx) => {
        await trx
          .insertInto('account')
          .values([account('a', Number.MAX_SAFE_INTEGER - 7), account('b', 7)])
          .execute()
        await trx
          .insertInto('pack')
          .values({
            id,
            object_key: 'packs/1/2.car',
            size_bytes: 3,
            block_count: 1,
            state: 'live',
            created_at: 4,
            unreferenced_at: null,
            scrubbed_at: null,
          })
          .execute()
        await trx
          .insertInto('block')
          .values({ multihash: Uint8Array.of(0, 255, 10), pack_id: id, offset_bytes: 1, length_bytes: 2 })
          .execute()
      })
      const sum = await db.read
        .selectFrom('account')
        .select((eb) => [eb.fn.sum('data_limit_bytes').as('total'), eb.fn.countAll().as('count')])
        .executeTakeFirstOrThrow()
      expect(sum).toEqual({ total: Number.MAX_SAFE_INTEGER, count: 2 })
      expect(await db.read.selectFrom('pack').select(['id', 'size_bytes']).execute()).toEqual([{ id, size_bytes: 3 }])
      const block = await db.read.selectFrom('block').selectAll().executeTakeFirstOrThrow()
      expect({ ...block, multihash: [...block.multihash] }).toEqual({
        multihash: [0, 255, 10],
        pack_id: id,
        offset_bytes: 1,
        length_bytes: 2,
        damaged_at: null,
      })
    })

    test('a number that would lose digits is an error, not another number', async () => {
      await db.write((trx) =>
        trx
          .insertInto('account')
          .values([account('a', 2 ** 53 - 1), account('b', 1)])
          .execute(),
      )
      const sum = db.read.selectFrom('account').select((eb) => eb.fn.sum('data_limit_bytes').as('total'))
      await expect(sum.execute()).rejects.toThrow(RangeError)
    })

    test('names sort by their bytes, so that paging by row values agrees everywhere', async () => {
      const names = ['b', 'B', 'ä', 'a', '_', 'Z', 'é', '10', '9']
      await db.write((trx) =>
        trx
          .insertInto('account')
          .values(names.map((n) => account(n)))
          .execute(),
      )
      const rows = await db.read.selectFrom('account').select('address').orderBy('address').execute()
      const byBytes = names.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
      expect(rows.map(({ address }) => address)).toEqual(byBytes)
    })

    test('streams rows while units write', async () => {
      await db.write((trx) =>
        trx
          .insertInto('account')
          .values(Array.from({ length: 50 }, (_, n) => account(`a${n}`)))
          .execute(),
      )
      let seen = 0
      for await (const { address } of db.read.selectFrom('account').select('address').stream(8)) {
        seen++
        if (seen % 10 === 0) await db.write((trx) => trx.deleteFrom('account').where('address', '=', address).execute())
      }
      expect(seen).toBe(50)
      const { count } = await db.read
        .selectFrom('account')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      expect(count).toBe(45)
    })

    test('deleting an upload removes its references, and a referenced pack cannot be deleted', async () => {
      await db.write(async (trx) => {
        await sql`insert into pack (id, object_key, size_bytes, block_count, state, created_at)
          values (5, 'k', 1, 1, 'live', 1)`.execute(trx)
        await sql`insert into upload (id, address, cid, root_multihash, name, size_bytes, dag_size_bytes, encryption, kind, status, created_at, updated_at)
          values ('u', 'a', 'c', ${Uint8Array.of(1)}, 'n', 1, 1, 0, 'file', 'stored', 1, 1)`.execute(trx)
        await sql`insert into upload_pack values ('u', 5)`.execute(trx)
      })
      await expect(db.write((trx) => trx.deleteFrom('pack').execute())).rejects.toThrow()
      await db.write((trx) => trx.deleteFrom('upload').execute())
      await db.write((trx) => trx.deleteFrom('pack').execute())
      expect(await db.read.selectFrom('upload_pack').selectAll().execute()).toEqual([])
    })

    test('opening twice migrates once', async () => {
      await using second = await place.open()
      expect(await second.read.selectFrom('migration').select('name').execute()).toEqual([
        { name: '0001_create-tables' },
        { name: '0002_create-payments' },
        { name: '0003_create-names' },
        { name: '0004_create-proofs' },
        { name: '0005_index-proofs' },
        { name: '0006_create-resumable-uploads' },
        { name: '0007_create-spent-sign-ins' },
        { name: '0008_name-purposes' },
        { name: '0009_bound-free-storage' },
        { name: '0010_keep-packs' },
        { name: '0011_keep-open-challenges' },
        { name: '0012_create-pins' },
        { name: '0013_administer' },
        { name: '0014_create-s3' },
        { name: '0017_create-events' },
        { name: '0018_index-names' },
        { name: '0019_create-links' },
        { name: '0020_create-ipni' },
        { name: '0021_create-operator-settings' },
        { name: '0022_create-upload-links' },
        { name: '0023_create-drive' },
        { name: '0024_merge-packs' },
        { name: '0026_serve-replicas' },
        { name: '0027_version-s3' },
        { name: '0028_create-handover' },
        { name: '0029_name-s3-buckets' },
        { name: '0030_create-egress' },
        { name: '0031_import-parts' },
        { name: '0032_create-thumbnails' },
        { name: '0033_keep-private' },
        { name: '0034_index-lookups' },
        { name: '0035_index-cids' },
        { name: '0036_index-pin-names' },
        { name: '0037_state-reasons' },
        { name: '0038_recount-free-storage' },
        { name: '0039_index-unlisted-names' },
        { name: '0040_promote-s3-versions' },
        { name: '0042_note-askers' },
        { name: '0044_rule-s3-lifecycles' },
        { name: '0047_index-egress' },
        { name: '0048_key-uploads' },
        { name: '0052_tag-uploads' },
        { name: '0053_note-upload-links' },
        { name: '0054_remove-s3-settings' },
      ])
    })

    test('a migration that fails half way leaves nothing', async () => {
      const change = 'expand'
      const broken: Migration = {
        name: '9999_broken',
        change,
        statements: () => ['create table half (a text)', 'no sql at all'],
      }
      const ours: Migration = { name: '0001_create-tables', change, statements: () => [] }
      await expect(migrate(db.kind, db.write, [ours, broken])).rejects.toThrow()
      await expect(sql`select * from half`.execute(db.read)).rejects.toThrow()
    })

    test('accepts a schema that a newer version expanded, and rejects one that it contracted', async () => {
      const later: Migration = {
        name: '9998_later',
        change: 'expand',
        statements: ({ integer, strict }) => [
          `create table later (a ${integer})${strict}`,
          `alter table account add column later ${integer} not null default 7`,
        ],
      }
      await migrate(db.kind, db.write, [...migrations, later])
      await using older = await place.open()
      await older.write((trx) => trx.insertInto('account').values(account('later')).execute())
      const contract: Migration = { ...later, name: '9999_last', change: 'contract', statements: () => [] }
      await migrate(db.kind, db.write, [...migrations, later, contract])
      await expect(place.open()).rejects.toSatisfy((error) => CairnError.is(error, 'INVALID_CONFIGURATION'))
    })

    test('rejects a migration of a newer version that names no change', async () => {
      await db.write((trx) => trx.insertInto('migration').values({ name: '9999_later', applied_at: 1 }).execute())
      await expect(place.open()).rejects.toSatisfy((error) => CairnError.is(error, 'INVALID_CONFIGURATION'))
    })

    test('answers a ping, and reports that it is closed', async () => {
      await db.ping()
      await db.close()
      await expect(db.ping()).rejects.toThrow()
      db = await place.open()
    })
  })
}
