import { MIB } from '@cairn/protocol'
import { migrate } from '@cairn/service'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { recountFree } from '../db/migrations/0038_recount-free-storage.ts'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { measureFreeDisk, readFreeStorage, recountFreeStorage } from './free-storage.ts'
import { enter, openAccount } from './ledger.ts'
import { credit, reserve, settle } from './quota.ts'

const day = 24 * 3_600_000
const secret = '22'.repeat(32)

let serial = 0
const newAddress = () => `0x${String(++serial).padStart(40, 'a')}`

describeOnDatabases('on %s', (prepare) => {
  describe('free storage', () => {
    const open: TestStorage[] = []
    afterEach(async () => {
      // The pack folder is removed with the first.
      for (const storage of open.splice(0).reverse()) await storage[Symbol.asyncDispose]()
    })

    /** Starts one service, or on PostgreSQL two replicas, each of which performs every step. */
    async function start(environment: Record<string, string>): Promise<[TestStorage, TestStorage]> {
      const all = { CAIRN_STORAGE_SECRET: secret, CAIRN_RATE_FACTOR: '0', ...(await prepare()), ...environment }
      const first = await startTestStorage(all)
      open.push(first)
      if (first.context.db.kind === 'sqlite') return [first, first]
      const second = await startTestStorage({ ...all, CAIRN_PACK_FOLDER: first.context.config.packFolder })
      open.push(second)
      return [first, second]
    }

    async function openFree({ context }: TestStorage, freeBytes = 8 * MIB): Promise<string> {
      const address = newAddress()
      await context.db.write((trx) => openAccount(trx, address, { config: { ...context.config, freeBytes }, now: 1 }))
      return address
    }
    const pay = ({ context }: TestStorage, address: string, bytes: number) =>
      context.db.write((trx) =>
        enter(trx, { address, kind: 'payment', cause: `payment:${++serial}`, bytes, note: '' }, 1),
      )
    const stored = ({ context }: TestStorage) => readFreeStorage(context.db.read)
    /** The expected counter: the sum over the accounts. */
    async function due({ context }: TestStorage): Promise<number> {
      const rows = await context.db.read.selectFrom('account').selectAll().execute()
      return rows.reduce(
        (sum, row) =>
          sum +
          Math.max(
            0,
            row.data_used_bytes + row.reserved_bytes - Math.max(0, row.data_limit_bytes - (row.free_bytes ?? 0)),
          ),
        0,
      )
    }

    test('reports a missing pack folder as a failure of the storage', async () => {
      const [{ context }] = await start({})
      const config = {
        ...context.config,
        packFolder: `${context.config.packFolder}/missing`,
        freeDiskReserve: { bytes: 1 },
      }
      await expect(measureFreeDisk({ config })).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    })

    test('all accounts together never exceed the free storage, in any number of concurrent requests', async () => {
      const [first, second] = await start({ CAIRN_FREE_TOTAL_BYTES: String(20 * MIB) })
      const accounts = await Promise.all(Array.from({ length: 10 }, () => openFree(first)))
      const asked = accounts.flatMap((address) =>
        [first, second, first, second].map(({ context }) => reserve(context, address, MIB)),
      )
      const results = await Promise.allSettled(asked)
      const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      expect(held).toHaveLength(20)
      for (const result of results) {
        if (result.status === 'fulfilled') continue
        expect(result.reason).toMatchObject({
          code: 'FREE_STORAGE_EXHAUSTED',
          status: 402,
          details: { neededBytes: MIB, availableBytes: 0, missingBytes: MIB },
        })
      }
      expect([await stored(second), await due(second)]).toEqual([20 * MIB, 20 * MIB])
      // Released quota is available to another account.
      const stranger = await openFree(second)
      await expect(reserve(second.context, stranger, 1)).rejects.toMatchObject({ code: 'FREE_STORAGE_EXHAUSTED' })
      await held[0]?.release()
      await reserve(second.context, stranger, MIB)
      await Promise.all(held.slice(1).map((reservation) => reservation.release()))
      expect([await stored(first), await due(first)]).toEqual([MIB, MIB])
    })

    test('uses paid storage first, and does not count it', async () => {
      const [first, second] = await start({ CAIRN_FREE_TOTAL_BYTES: String(2 * MIB) })
      const { context } = first
      const address = await openFree(first)
      const held = await reserve(context, address, 2 * MIB)
      await expect(reserve(context, address, 1)).rejects.toMatchObject({ code: 'FREE_STORAGE_EXHAUSTED' })
      await pay(second, address, 3 * MIB)
      expect(await stored(first)).toBe(0)
      await held.grow(MIB)
      expect([await stored(first), await due(first)]).toEqual([0, 0])
      await held.grow(2 * MIB)
      await expect(held.grow(1)).rejects.toMatchObject({ code: 'FREE_STORAGE_EXHAUSTED' })
      expect([await stored(first), await due(first)]).toEqual([2 * MIB, 2 * MIB])
      // Less is used than was reserved, and some of it is deleted.
      await context.db.write((trx) => settle(trx, held, 4 * MIB))
      expect([await stored(first), await due(first)]).toEqual([MIB, MIB])
      await expect(reserve(context, address, 3 * MIB)).rejects.toMatchObject({
        details: { neededBytes: 3 * MIB, availableBytes: MIB, missingBytes: 2 * MIB },
      })
      await context.db.write((trx) => credit(trx, address, 2 * MIB))
      expect([await stored(first), await due(first)]).toEqual([0, 0])
      await context.db.write(recountFreeStorage)
      expect(await stored(first)).toBe(0)
    })

    test('a limit below the free allowance uses no free storage', async () => {
      const [first, second] = await start({ CAIRN_FREE_TOTAL_BYTES: String(20 * MIB) })
      const address = await openFree(first)
      const adjust = (bytes: number) =>
        first.context.db.write((trx) =>
          enter(trx, { address, kind: 'adjustment', cause: `adjustment:${++serial}`, bytes, note: '' }, 1),
        )
      await adjust(-6 * MIB)
      expect(await stored(second)).toBe(0)
      const held = await reserve(first.context, address, 2 * MIB)
      expect([await stored(second), await due(second)]).toEqual([2 * MIB, 2 * MIB])
      await adjust(-2 * MIB)
      await first.context.db.write(recountFreeStorage)
      expect([await stored(second), await due(second)]).toEqual([2 * MIB, 2 * MIB])
      // Raising the limit back to the allowance is not paid for, either.
      await adjust(8 * MIB)
      expect(await stored(second)).toBe(2 * MIB)
      await held.release()
      expect(await stored(second)).toBe(0)
      // The row of the counter as an earlier version left it, and as the migration corrects it.
      await adjust(-5 * MIB)
      const { db } = first.context
      await db.write((trx) =>
        trx
          .updateTable('free_storage')
          .set({ used_bytes: 5 * MIB })
          .execute(),
      )
      await migrate(db.kind, db.write, [...migrations, { ...recountFree, name: '9999_recount-again' }])
      expect(await stored(second)).toBe(0)
    })

    test('without free storage only paying accounts store, and stored content stays', async () => {
      const [first] = await start({ CAIRN_FREE_TOTAL_BYTES: '0' })
      const key = await first.createKey()
      const upload = () => first.call('/api/v0/add', { method: 'POST', body: form('hello'), ...bearer(key) })
      const refused = await upload()
      expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([402, 'FREE_STORAGE_EXHAUSTED'])
      const address = (await first.context.db.read.selectFrom('account').select('address').executeTakeFirstOrThrow())
        .address
      await pay(first, address, MIB)
      expect((await upload()).status).toBe(200)
      expect(await stored(first)).toBe(0)
    })

    test('reserves the last disk space for paying accounts', async () => {
      const [first] = await start({ CAIRN_FREE_DISK_RESERVE: '100%' })
      const key = await first.createKey()
      const upload = () => first.call('/api/v0/add', { method: 'POST', body: form('hello'), ...bearer(key) })
      const refused = await upload()
      expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([402, 'FREE_STORAGE_PAUSED'])
      const tus = await first.call('/api/uploads', {
        method: 'POST',
        headers: { ...bearer(key).headers, 'tus-resumable': '1.0.0', 'upload-length': '5' },
      })
      expect([tus.status, tus.headers.get('x-cairn-code')]).toEqual([402, 'FREE_STORAGE_PAUSED'])
      const { address } = await first.context.db.read.selectFrom('account').select('address').executeTakeFirstOrThrow()
      await pay(first, address, 16 * MIB)
      expect((await upload()).status).toBe(200)
      const metrics = await (await fetch(first.metricsUrl ?? '')).text()
      expect(metrics).toContain('cairn_free_storage_refusals_total{bound="disk"} 2')
      expect(metrics).toContain('cairn_free_storage_disk_bytes 0')
    })

    test('limits the free accounts that one address opens per day; others pay or retry later', async () => {
      const [first, second] = await start({ CAIRN_FREE_ACCOUNTS_PER_DAY: '3', CAIRN_FREE_BYTES: String(MIB) })
      const wallets = Array.from({ length: 8 }, () => privateKeyToAccount(generatePrivateKey()))
      const keys = await Promise.all(wallets.map((wallet, i) => [first, second][i % 2]?.createKey(wallet) ?? ''))
      const limits = await Promise.all(
        keys.map(async (key) => {
          const { json } = await second.call('/api/user/user_data_usage', bearer(key))
          return typeof json === 'object' && json !== null && 'dataLimit' in json ? json.dataLimit : undefined
        }),
      )
      expect(limits.toSorted()).toEqual([0, 0, 0, 0, 0, MIB, MIB, MIB])
      const late = limits.indexOf(0)
      const [key = '', wallet] = [keys[late], wallets[late]]
      if (wallet === undefined) throw new Error('no wallet')
      const upload = () => first.call('/api/v0/add', { method: 'POST', body: form('hello'), ...bearer(key) })
      const refused = await upload()
      expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([402, 'FREE_ACCOUNTS_EXHAUSTED'])
      // Another sign-in on the same day changes nothing and uses no further allowance.
      await first.createKey(wallet)
      expect((await upload()).status).toBe(402)
      const rows = await first.context.db.read.selectFrom('free_account_day').selectAll().execute()
      expect(rows.map(({ accounts }) => accounts)).toEqual([3])
      expect(JSON.stringify(rows)).not.toContain('127.0.0.1')
      // A payment immediately unlocks what it paid for.
      await pay(first, wallet.address.toLowerCase(), 16 * MIB)
      expect((await upload()).status).toBe(200)
      // The next day adds the free allowance, once.
      first.pass(day)
      await Promise.all([first.createKey(wallet), first.createKey(wallet)])
      const { json } = await first.call('/api/user/user_data_usage', bearer(key))
      expect(json).toMatchObject({ dataLimit: 17 * MIB })
      expect(await first.context.db.read.selectFrom('free_account_day').select('accounts').execute()).toEqual([
        { accounts: 1 },
      ])
      // Which of the two reports how many others depends on which came first.
      const refusals = await Promise.all(
        [...new Set([first.metricsUrl, second.metricsUrl])].map(async (metricsUrl = '') => {
          const text = await (await fetch(metricsUrl)).text()
          return Number(/cairn_free_storage_refusals_total\{bound="accounts"\} (\d+)/.exec(text)?.[1] ?? 0)
        }),
      )
      expect(refusals.reduce((sum, one) => sum + one, 0)).toBe(6)
    })

    test('an error states the price and the time to retry', async () => {
      const [first] = await start({ CAIRN_FREE_ACCOUNTS_PER_DAY: '0' })
      const wallet = privateKeyToAccount(generatePrivateKey())
      await first.createKey(wallet)
      const error = await reserve(first.context, wallet.address.toLowerCase(), 5).catch((thrown: unknown) => thrown)
      const now = first.context.clock.now()
      expect(error).toMatchObject({
        code: 'FREE_ACCOUNTS_EXHAUSTED',
        details: { neededBytes: 5, availableBytes: 0, missingBytes: 5, againAt: (Math.floor(now / day) + 1) * day },
      })
    })

    test('counts an IPv6 line as one address, whichever of its addresses it uses', async () => {
      const [first] = await start({ CAIRN_FREE_ACCOUNTS_PER_DAY: '1', CAIRN_TRUSTED_PROXIES: '127.0.0.1' })
      const limitOf = async (ip: string) => {
        const wallet = privateKeyToAccount(generatePrivateKey())
        const signedMessage = await wallet.signMessage({ message: await first.getMessage(wallet.address) })
        const { json } = await first.call('/api/auth/create_api_key', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
          body: JSON.stringify({ publicKey: wallet.address, signedMessage }),
        })
        const usage = await first.call('/api/user/user_data_usage', bearer(String(json)))
        return typeof usage.json === 'object' && usage.json !== null && 'dataLimit' in usage.json
          ? usage.json.dataLimit
          : undefined
      }
      const free = 5 * 2 ** 30
      expect([await limitOf('2001:db8:1:2::1'), await limitOf('2001:db8:1:2:ffff::9')]).toEqual([free, 0])
      expect([await limitOf('2001:db8:1:3::1'), await limitOf('192.0.2.1')]).toEqual([free, free])
      expect(await limitOf('192.0.2.1')).toBe(0)
    })

    test('the metrics show the free storage in use, and its limits', async () => {
      const [first, second] = await start({ CAIRN_FREE_TOTAL_BYTES: String(20 * MIB) })
      await reserve(first.context, await openFree(first), 3 * MIB)
      const metrics = await (await fetch(second.metricsUrl ?? '')).text()
      expect(metrics).toContain(`cairn_free_storage_bytes ${3 * MIB}\n`)
      expect(metrics).toContain(`cairn_free_storage_limit_bytes ${20 * MIB}\n`)
      expect(metrics).toContain('cairn_free_storage_disk_bytes +Inf\n')
    })
  })
})

function form(content: string): FormData {
  const body = new FormData()
  body.append('file', new Blob([content]), 'a.txt')
  return body
}
