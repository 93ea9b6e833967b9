import { CairnError } from '@cairn/protocol'
import { readLimited } from '@cairn/service'
import { type Chain, getChain } from '@filoz/synapse-core/chains'
import {
  type Account,
  type Address,
  BaseError,
  type Client,
  createClient,
  getAddress,
  http,
  isHex,
  type Transport,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { getChainId } from 'viem/actions'
import type { ProviderSettings } from '../../settings/deal-settings.ts'

export type FilecoinSettings = Extract<ProviderSettings, { kind: 'filecoin' }>

/** The endpoint of a chain with the configured wallet. */
export type FilecoinClient = {
  readonly chain: Chain
  readonly client: Client<Transport, Chain, Account>
  readonly payer: Address
  /**
   * Queries the chain, once it is verified to be the configured one. @throws CairnError UPSTREAM_FAILED for all
   * errors
   */
  ask<T>(read: () => Promise<T>): Promise<T>
  /** Reads at an epoch, or at the last one before it that has a block. */
  readAt<T>(epoch: bigint, read: (blockNumber: bigint) => Promise<T>): Promise<T>
}

const rpcMs = 10_000
const maxAnswerBytes = 8 * 1024 * 1024
/** Maximum number of consecutive epochs without a block. */
const maxNullRounds = 8

/** Opens an endpoint. Sends no request yet. @throws CairnError INVALID_CONFIGURATION for an invalid key */
export function openFilecoinClient(settings: FilecoinSettings): FilecoinClient {
  const chain = getChain(settings.network === 'mainnet' ? 314 : 314_159)
  const account = openAccount(settings)
  const transport = http(settings.rpcUrl, {
    timeout: rpcMs,
    retryCount: 1,
    fetchOptions: { redirect: 'error' },
    fetchFn: fetchLimited,
  })
  const client = createClient({ account, chain, ccipRead: false, transport })
  let known: Promise<void> | undefined
  const requireChain = (): Promise<void> => {
    known ??= getChainId(client).then((id) => {
      if (id !== chain.id) throw new Error(`the endpoint serves chain ${id}, not ${chain.id}`)
    })
    known.catch(() => {
      known = undefined
    })
    return known
  }

  return {
    chain,
    client,
    payer: settings.payer === undefined ? account.address : getAddress(settings.payer),
    async ask(read) {
      try {
        await requireChain()
        return await read()
      } catch (error) {
        throw toFailure(settings.name, error)
      }
    },
    async readAt(epoch, read) {
      for (let back = 0; ; back++) {
        try {
          return await read(epoch - BigInt(back))
        } catch (error) {
          if (back === maxNullRounds || !isNullRound(error)) throw error
        }
      }
    },
  }
}

function openAccount({ name, key }: FilecoinSettings) {
  try {
    if (!isHex(key)) throw new Error('it is not hexadecimal')
    return privateKeyToAccount(key)
  } catch {
    // The thrown error quotes the key.
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `CAIRN_PROVIDERS: the key of ${name} is not a private key`,
    })
  }
}

async function fetchLimited(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  const { status, statusText, headers } = response
  return new Response(await readLimited(response, maxAnswerBytes), { status, statusText, headers })
}

function isNullRound(error: unknown): boolean {
  return error instanceof BaseError && /null round/i.test(`${error.details} ${error.message}`)
}

function toFailure(name: string, error: unknown): CairnError {
  if (CairnError.is(error)) return error
  // The full message of a viem error contains the endpoint's URL, which may contain a key.
  const reason =
    error instanceof BaseError ? `${error.shortMessage} ${error.details}` : error instanceof Error ? error.message : ''
  return new CairnError('UPSTREAM_FAILED', {
    message: `The chain of the storage provider ${name} returned an invalid response: ${oneLine(reason)}`,
  })
}

function oneLine(text: string): string {
  return text
    .replaceAll(/\b\w+:\/\/\S+/g, 'its URL')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200)
}
