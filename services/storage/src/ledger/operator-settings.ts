import { type CoinPrice, coinPriceOf } from '@cairn/protocol'
import { prepareStatement } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { StorageConfig } from '../config.ts'
import type { Schema } from '../db/schema.ts'

/** Names of the settings that `cairn-admin` changes in the database. */
export const operatorSettings = {
  price: 'price.usd-per-gib',
  freeBytes: 'free.account-bytes',
  freeTotalBytes: 'free.total-bytes',
  freeAccountsPerDay: 'free.accounts-per-day',
} as const

/** The name of a setting, as stored. */
export type OperatorSetting = (typeof operatorSettings)[keyof typeof operatorSettings]

/** The bounds of free storage, where the service's settings define them. */
export type FreeSettings = Pick<StorageConfig, 'freeBytes' | 'freeTotalBytes' | 'freeAccountsPerDay'>

/** Value that removes a bound. */
export const unlimited = 'unlimited'

/** The latest value of each setting. */
const freeSettings = prepareStatement((db: Kysely<Schema>) =>
  db
    .selectFrom('operator_setting as s')
    .select(['s.name', 's.value'])
    .where('s.name', '<>', operatorSettings.price)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('operator_setting as later')
            .select('later.name')
            .whereRef('later.name', '=', 's.name')
            .whereRef('later.effective_at', '>', 's.effective_at'),
        ),
      ),
    ),
)

/** Returns the bounds of free storage: what the operator set in the database or, without that, the settings. */
export async function readFreeSettings(db: Kysely<Schema>, config: FreeSettings): Promise<FreeSettings> {
  const rows = await freeSettings(db, {})
  const pick = <T>(name: OperatorSetting, fallback: T): number | T => {
    const value = rows.find((row) => row.name === name)?.value ?? null
    return value === null ? fallback : Number(value)
  }
  const bound = (name: OperatorSetting, fallback: number | undefined): number | undefined => {
    const isUnlimited = rows.some((row) => row.name === name && row.value === unlimited)
    return isUnlimited ? undefined : pick(name, fallback)
  }
  return {
    freeBytes: pick(operatorSettings.freeBytes, config.freeBytes),
    freeTotalBytes: bound(operatorSettings.freeTotalBytes, config.freeTotalBytes),
    freeAccountsPerDay: bound(operatorSettings.freeAccountsPerDay, config.freeAccountsPerDay),
  }
}

/** A price of storage, and when it began to apply. */
export type StoragePrice = { usdPerGib: number; effectiveAt: number }

/** Lists every price of storage, newest first. */
export async function listStoragePrices(db: Kysely<Schema>): Promise<[StoragePrice, ...StoragePrice[]]> {
  const rows = await selectPrices(db).orderBy('effective_at', 'desc').execute()
  const [newest, ...older] = rows.map(describePrice)
  // The migration that creates the table adds the first one.
  if (newest === undefined) throw new Error('the database has no price of storage')
  return [newest, ...older]
}

/** Returns the price of storage that applies now. */
export async function readStoragePrice(db: Kysely<Schema>): Promise<StoragePrice> {
  return describePrice(await selectPrices(db).orderBy('effective_at', 'desc').limit(1).executeTakeFirstOrThrow())
}

/**
 * Returns the lowest price of storage that applied in a window before a time: any of them may have been quoted. Prices
 * are added and never changed, so the answer stays the same.
 * @param timeMs of the block of a payment
 */
export async function findLowestPrice(db: Kysely<Schema>, timeMs: number, windowMs: number): Promise<CoinPrice> {
  const from = timeMs - windowMs
  const before = await selectPrices(db)
    .where('effective_at', '<=', Math.max(0, from))
    .orderBy('effective_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const during = await selectPrices(db).where('effective_at', '>', from).where('effective_at', '<=', timeMs).execute()
  return coinPriceOf(Math.min(...[before, ...during].map((row) => describePrice(row).usdPerGib)))
}

function selectPrices(db: Kysely<Schema>) {
  return db
    .selectFrom('operator_setting')
    .select(['value', 'effective_at'])
    .where('name', '=', operatorSettings.price)
    .where('value', 'is not', null)
}

function describePrice(row: { value: string | null; effective_at: number }): StoragePrice {
  return { usdPerGib: Number(row.value), effectiveAt: row.effective_at }
}

/**
 * Sets a value from now on, for all replicas at once.
 * @param value null returns to the service's settings
 * @returns when it applies, in ms since 1970: later than the value before, even if the clock was set back
 */
export async function changeOperatorSetting(
  trx: Kysely<Schema>,
  name: OperatorSetting,
  value: string | null,
  now: number,
): Promise<number> {
  const last = await trx
    .selectFrom('operator_setting')
    .select('effective_at')
    .where('name', '=', name)
    .orderBy('effective_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const effectiveAt = Math.max(now, (last?.effective_at ?? -1) + 1)
  await trx.insertInto('operator_setting').values({ name, value, effective_at: effectiveAt }).execute()
  return effectiveAt
}
