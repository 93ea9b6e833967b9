import { getQuotaReport, getUsage, type QuotaReport, type Usage } from '@cairn/sdk'
import { type Loaded, useLoaded } from './use-loaded.ts'

/** Loads the storage limit of the account with its sources: free, bought, used and available bytes. */
export function useBalance(): Loaded<QuotaReport> {
  return useLoaded('balance', 'account', (client, signal) => getQuotaReport(client, { signal }))
}

/** Loads the storage limit and usage of the account, in bytes. */
export function useUsage(): Loaded<Usage> {
  return useLoaded('usage', 'account', (client, signal) => getUsage(client, { signal }))
}
