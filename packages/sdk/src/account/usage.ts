import { getDataUsage } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Storage of an account in bytes. */
export type Usage = { limitBytes: number; usedBytes: number }

/** Returns the storage limit and usage of the account, in bytes. */
export async function getUsage(client: Client, options?: CallOptions): Promise<Usage> {
  const { dataLimit, dataUsed } = await call(client, getDataUsage, {}, options)
  return { limitBytes: dataLimit, usedBytes: dataUsed }
}
