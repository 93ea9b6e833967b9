import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import type { Prices } from './prices.ts'

/** The parts that the follower of one chain uses. */
export type IndexParts = {
  context: Pick<Context, 'db' | 'clock' | 'log' | 'config' | 'dependencies' | 'metrics'>
  network: PaymentNetwork
  prices: Prices
  /** Throws when this process no longer holds the lease of the job. Called in each unit of work. */
  requireLease(trx: Kysely<Schema>): Promise<void>
}
