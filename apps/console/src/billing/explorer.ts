import { isNetworkName, networks } from '@cairn/protocol'

/** Returns the page of a transaction at the public explorer of its chain; undefined for a chain without one. */
export function transactionPage(chain: string, hash: string): string | undefined {
  return isNetworkName(chain) ? `${networks[chain].transactionUrl}${hash}` : undefined
}

/** Returns the page of an account at the same explorer: they differ in one word. */
export function accountPage(chain: string, address: string): string | undefined {
  const transactions = transactionPage(chain, '')
  const accounts = transactions?.replace(/\/(?:tx|message)\/$/, '/address/')
  return accounts === transactions ? undefined : `${accounts}${address}`
}
