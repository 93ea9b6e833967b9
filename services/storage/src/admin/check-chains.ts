import * as v from 'valibot'
import { isPaymentsCode } from '../contract/payments-code.ts'
import { createRpc, hexBytes, hexHash, hexNumber, toHex } from '../payments/payments.ts'
import type { PaymentNetwork } from '../settings/payment-settings.ts'

/** A problem of a chain or endpoint. Endpoints are named by position in the settings, because URLs may contain keys. */
export type ChainFinding = { network: string; endpoint: number | undefined; problem: string }

/** Result of the check of one chain. */
export type ChainReport = { network: string; chainId: number; heads: (number | undefined)[]; findings: ChainFinding[] }

/** Number of blocks below the lowest head at which endpoints are compared: newer blocks may still change. */
const compareBehind = 32
/** Number of blocks behind the highest head from which an endpoint counts as lagging. */
const maxLagBlocks = 64

const blockSchema = v.object({ number: hexNumber, hash: hexHash })

/**
 * Reads the chain id, the newest block and the code of the payment contract from each endpoint of a chain, and compares a
 * block that all endpoints have. Changes nothing.
 */
export async function checkChain(network: PaymentNetwork, signal?: AbortSignal): Promise<ChainReport> {
  const findings: ChainFinding[] = []
  const note = (endpoint: number | undefined, problem: string) =>
    findings.push({ network: network.name, endpoint, problem })
  const endpoints = network.rpcUrls.map((url) => createRpc(url, signal))
  const attempt = async <T>(endpoint: number, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      note(endpoint, error instanceof Error ? error.message : 'did not answer')
      return undefined
    }
  }
  const heads = await Promise.all(
    endpoints.map((rpc, i) =>
      attempt(i + 1, async () => {
        const chainId = await rpc.ask('eth_chainId', [], hexNumber)
        if (chainId !== network.chainId) {
          note(i + 1, `Endpoint is on chain ${chainId}, the configured chain is ${network.chainId}`)
          return undefined
        }
        const code = await rpc.ask('eth_getCode', [network.contract, 'latest'], hexBytes)
        if (code === '0x') note(i + 1, `There is no contract at ${network.contract}`)
        else if (!isPaymentsCode(code)) note(i + 1, `The contract at ${network.contract} is not the payment contract`)
        return (await rpc.ask('eth_getBlockByNumber', ['latest', false], blockSchema)).number
      }),
    ),
  )
  const known = heads.filter((head) => head !== undefined)
  const highest = Math.max(...known)
  for (const [i, head] of heads.entries()) {
    if (head !== undefined && highest - head > maxLagBlocks) note(i + 1, `Endpoint is ${highest - head} blocks behind`)
  }
  if (endpoints.length < 2)
    note(undefined, 'Only one endpoint is configured, so nothing can be compared. Configure three')
  if (known.length >= 2) {
    const number = Math.max(0, Math.min(...known) - compareBehind)
    const hashes = await Promise.all(
      endpoints.map((rpc, i) =>
        heads[i] === undefined
          ? undefined
          : attempt(
              i + 1,
              async () => (await rpc.ask('eth_getBlockByNumber', [toHex(number), false], blockSchema)).hash,
            ),
      ),
    )
    const different = new Set(hashes.filter((hash) => hash !== undefined))
    if (different.size > 1) note(undefined, `The endpoints disagree about block ${number}`)
  }
  return { network: network.name, chainId: network.chainId, heads, findings }
}
