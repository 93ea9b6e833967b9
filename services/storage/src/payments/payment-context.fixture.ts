import { createDependencies } from '@cairn/service'
import pino from 'pino'
import { expect } from 'vitest'
import { readConfig, type StorageConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { createStorageMetrics } from '../metrics.ts'
import { createNetworkIndexer, type IndexParts, type NetworkIndexer } from './index-network.ts'
import { createPrices } from './prices.ts'

type Clock = { now(): number }

/** Opens the context of a follower, as on a replica. */
export function openPaymentContext(
  db: Database,
  config: StorageConfig,
  clock: Clock = { now: () => Date.now() },
): IndexParts['context'] {
  const log = pino({ level: 'silent' })
  const metrics = createStorageMetrics()
  return {
    db,
    config,
    clock,
    log,
    metrics,
    dependencies: createDependencies({ clock, log, registry: metrics.registry }),
  }
}

/** Creates a follower of the first configured network, with its own context. */
export function openFollower(
  db: Database,
  clock: Clock,
  environment: Record<string, string>,
  requireLease: () => Promise<void> = async () => {},
): NetworkIndexer & { context: IndexParts['context'] } {
  const config = readConfig(environment)
  const [network] = config.payments.networks
  if (network === undefined) throw new Error('there is no network')
  const context = openPaymentContext(db, config, clock)
  const prices = createPrices(context, config.payments.prices)
  return { ...createNetworkIndexer({ context, network, prices, requireLease }), context }
}

/** Reads the books from the tables. */
export function openBooks(db: Database) {
  const rows = () => db.read.selectFrom('payment').selectAll().orderBy('block_number').orderBy('ordinal').execute()
  return {
    rows,
    states: async () => (await rows()).map(({ state }) => state),
    /** Returns what an account bought; undefined if there is no such account. */
    async limitOf(address: string): Promise<number | undefined> {
      const row = await db.read
        .selectFrom('account')
        .select(['data_limit_bytes', 'free_bytes'])
        .where('address', '=', address.toLowerCase())
        .executeTakeFirst()
      return row === undefined ? undefined : row.data_limit_bytes - (row.free_bytes ?? 0)
    },
    /** The ledger must always match the accounts. */
    async expectRight(): Promise<void> {
      const accounts = await db.read.selectFrom('account').selectAll().execute()
      for (const { address, data_limit_bytes } of accounts) {
        const entries = await db.read.selectFrom('ledger_entry').selectAll().where('address', '=', address).execute()
        expect(entries.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(data_limit_bytes)
      }
      const credited = (await rows()).filter(({ state }) => state === 'credited')
      const entered = await db.read.selectFrom('ledger_entry').selectAll().where('kind', '=', 'payment').execute()
      expect(entered).toHaveLength(credited.length)
    },
  }
}
