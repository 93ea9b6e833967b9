import { createHmac } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { CairnError } from '@cairn/protocol'
import { prepareStatement, rateLimitKey, type StatementParams } from '@cairn/service'
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { deriveKey } from '../secrets/derive-key.ts'
import { readFreeSettings } from './operator-settings.ts'

/** Changes of an account's totals. */
export type AccountChange = { usedBytes?: number; reservedBytes?: number; limitBytes?: number; freeBytes?: number }

type Sums = Pick<
  Selectable<Schema['account']>,
  'data_used_bytes' | 'reserved_bytes' | 'data_limit_bytes' | 'free_bytes'
>

/**
 * Returns the bytes that an account stores or reserves beyond what was paid for. A limit that an operator lowered below
 * the free allowance leaves nothing paid.
 */
function countFree({ data_used_bytes, reserved_bytes, data_limit_bytes, free_bytes }: Sums): number {
  const paidBytes = Math.max(0, data_limit_bytes - (free_bytes ?? 0))
  return Math.max(0, data_used_bytes + reserved_bytes - paidBytes)
}

/** An account can be blocked after its upload was authorized: the units that reserve and record decide again. */
const isUnblocked = sql<boolean>`blocked_at is null`

/** Whether an account may store or reserve further bytes. */
export const hasCapacity = (bytes: RawBuilder<number>) =>
  sql<boolean>`${isUnblocked} and data_used_bytes + reserved_bytes + ${bytes} <= data_limit_bytes`

/** Whether the limit of an account stays a number that can be read after some bytes are added. */
const isCountable = (bytes: RawBuilder<number>) =>
  sql<boolean>`data_limit_bytes + ${bytes} <= ${sql.lit(Number.MAX_SAFE_INTEGER)}`

type ChangeParams = Required<AccountChange> & { address: string; addedBytes: number }

const prepareChange = (isAllowed: (param: StatementParams<ChangeParams>) => RawBuilder<boolean>, isFree: boolean) =>
  prepareStatement((trx: Kysely<Schema>, param: StatementParams<ChangeParams>) =>
    trx
      .updateTable('account')
      .set({
        data_used_bytes: sql`data_used_bytes + ${param('usedBytes')}`,
        reserved_bytes: sql`reserved_bytes + ${param('reservedBytes')}`,
        data_limit_bytes: sql`data_limit_bytes + ${param('limitBytes')}`,
        ...(isFree ? { free_bytes: sql`coalesce(free_bytes, 0) + ${param('freeBytes')}` } : {}),
      })
      .where('address', '=', param('address'))
      .where(isAllowed(param))
      .returning(['data_used_bytes', 'reserved_bytes', 'data_limit_bytes', 'free_bytes']),
  )

const prepareChanges = (isFree: boolean) => ({
  any: prepareChange(() => sql<boolean>`true`, isFree),
  unblocked: prepareChange(() => isUnblocked, isFree),
  countable: prepareChange((param) => isCountable(param('limitBytes')), isFree),
  capacity: prepareChange((param) => hasCapacity(param('addedBytes')), isFree),
})

const changes = prepareChanges(false)
const freeChanges = prepareChanges(true)

const growFreeStorage = prepareStatement((trx: Kysely<Schema>, param: StatementParams<{ bytes: number }>) =>
  trx.updateTable('free_storage').set({ used_bytes: sql`used_bytes + ${param('bytes')}` }),
)

/**
 * Changes the totals of an account and, in the same unit, the free storage of all accounts; no other statement
 * changes them. The latter row comes last, so that units lock rows in one order.
 * @param required which accounts may change: any, those whose limit stays countable, those that are not blocked, or of these
 *   those with capacity for the bytes in addition. The database decides.
 * @returns by how many bytes free storage grew; undefined if nothing changed
 */
export async function changeAccount(
  trx: Kysely<Schema>,
  address: string,
  change: AccountChange,
  required: keyof typeof changes = 'any',
): Promise<number | undefined> {
  const { usedBytes = 0, reservedBytes = 0, limitBytes = 0, freeBytes } = change
  const params = { address, usedBytes, reservedBytes, limitBytes, addedBytes: usedBytes + reservedBytes }
  const apply = (freeBytes === undefined ? changes : freeChanges)[required]
  const [after] = await apply(trx, { ...params, freeBytes: freeBytes ?? 0 })
  if (after === undefined) return undefined
  const before = {
    data_used_bytes: after.data_used_bytes - usedBytes,
    reserved_bytes: after.reserved_bytes - reservedBytes,
    data_limit_bytes: after.data_limit_bytes - limitBytes,
    free_bytes: (after.free_bytes ?? 0) - (freeBytes ?? 0),
  }
  const grownBytes = countFree(after) - countFree(before)
  if (grownBytes !== 0) await growFreeStorage(trx, { bytes: grownBytes })
  return grownBytes
}

const freeStorage = prepareStatement((db: Kysely<Schema>) => db.selectFrom('free_storage').select('used_bytes'))

/** Returns the bytes that all accounts store for free. */
export async function readFreeStorage(db: Kysely<Schema>): Promise<number> {
  const [row] = await freeStorage(db, {})
  if (row === undefined) throw new TypeError('The row of free storage is missing')
  return row.used_bytes
}

/** Recounts the totals of an account from its uploads and reservations, and the free storage of all accounts. */
export async function recountAccount(trx: Kysely<Schema>, address: string): Promise<void> {
  // Locked before the sums: they then contain every unit that has changed the account, and one that waits adds to them.
  await trx.updateTable('account').set({ address }).where('address', '=', address).execute()
  await sql`update account set
      data_used_bytes = coalesce((select sum(size_bytes) from upload where upload.address = account.address), 0),
      reserved_bytes = coalesce((select sum(bytes) from reservation where reservation.address = account.address), 0),
      upload_count = (select count(*) from upload where upload.address = account.address)
    where address = ${address}`.execute(trx)
  await recountFreeStorage(trx)
}

/** Recounts the free storage of all accounts, after their totals were corrected. */
export async function recountFreeStorage(trx: Kysely<Schema>): Promise<void> {
  // Locked before the sum: a unit that changed an account and waits for this row adds to the new total.
  await trx.updateTable('free_storage').set({ used_bytes: sql`used_bytes` }).execute()
  const paid = sql<number>`data_limit_bytes - coalesce(free_bytes, 0)`
  const over = sql<number>`data_used_bytes + reserved_bytes - case when ${paid} > 0 then ${paid} else 0 end`
  const row = await trx
    .selectFrom(trx.selectFrom('account').select(over.as('over')).where(over, '>', 0).as('sums'))
    .select(({ fn }) => fn.sum<number | null>('over').as('bytes'))
    .executeTakeFirstOrThrow()
  await trx
    .updateTable('free_storage')
    .set({ used_bytes: Number(row.bytes ?? 0) })
    .execute()
}

/**
 * Returns the bytes of the disk that free storage may still take, from its current free space. S3 has no measurable
 * limit.
 * @throws CairnError STORAGE_FAILED
 */
export async function measureFreeDisk({ config }: Pick<Context, 'config'>): Promise<number> {
  const { freeDiskReserve: kept, packFolder, s3 } = config
  if (s3 !== undefined) return Number.POSITIVE_INFINITY
  if ('bytes' in kept && kept.bytes === 0) return Number.POSITIVE_INFINITY
  const { bavail, blocks, bsize } = await statfs(packFolder).catch((error: unknown) => {
    throw new CairnError('STORAGE_FAILED', { cause: error })
  })
  return Math.max(0, bavail * bsize - ('bytes' in kept ? kept.bytes : Math.ceil(kept.share * blocks * bsize)))
}

const dayMs = 24 * 3_600_000

/** Returns the start of the next day (UTC), when free accounts are available again, in ms since 1970. */
export function nextDay(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs
}

/**
 * Uses one of the free accounts that an IP address has per day (UTC); IPv6 counts by its first 64 bits. The address
 * is stored as a pseudonym, for a day.
 * @returns false if none is left
 */
export async function claimFreeAccount(
  { config, clock, secret }: Pick<Context, 'config' | 'clock' | 'secret'>,
  trx: Kysely<Schema>,
  ip: string,
): Promise<boolean> {
  const { freeAccountsPerDay } = await readFreeSettings(trx, config)
  if (freeAccountsPerDay === undefined) return true
  if (freeAccountsPerDay === 0) return false
  const day = Math.floor(clock.now() / dayMs)
  const asker = createHmac('sha256', deriveKey(secret, 'free-accounts'))
    .update(`${day} ${rateLimitKey(ip)}`)
    .digest('hex')
    .slice(0, 32)
  const taken = await trx
    .insertInto('free_account_day')
    .values({ day, asker, accounts: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'asker'])
        .doUpdateSet({ accounts: sql`free_account_day.accounts + 1` })
        .where('free_account_day.accounts', '<', freeAccountsPerDay),
    )
    .returning('accounts')
    .executeTakeFirst()
  if (taken?.accounts === 1) await trx.deleteFrom('free_account_day').where('day', '<', day).execute()
  return taken !== undefined
}
