import {
  CairnError,
  describeProvider,
  getHealth,
  getKeyNode,
  getReadiness,
  joinUrl,
  type NetworkProfile,
} from '@cairn/protocol'
import * as v from 'valibot'
import { formatCount } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import type { PartProbe } from './check-part.ts'

/** Services of a network by purpose. */
export type PartProbes = {
  storage: PartProbe
  gateway: PartProbe
  chains: PartProbe[]
  keyNodes: PartProbe[]
  providers: PartProbe[]
}

/** A larger clock difference breaks signatures and sessions. */
const maxClockMs = 60_000

/** Returns every service in the profile with its probe. No key is sent to any. */
export function listParts(profile: NetworkProfile): PartProbes {
  const { api, gateway, keyNodes = [], providers = [], chain, chains = chain === undefined ? [] : [chain] } = profile
  return {
    storage: {
      id: 'storage',
      label: messages.status.storage,
      url: api,
      probe: async (signal) => {
        const { version, parts } = v.parse(getReadiness.response.schema, await getJson(api, '/readyz', signal))
        return [
          messages.status.version(version),
          ...Object.entries(parts).flatMap(([part, state]) => (state === 'ok' ? [] : [`${part}: ${state}`])),
        ]
      },
    },
    gateway: {
      id: 'gateway',
      label: messages.status.gateway,
      url: gateway,
      // An empty block, which every gateway has.
      probe: async (signal) => {
        await expectOk(await fetch(joinUrl(gateway, '/ipfs/bafkqaaa'), { signal, cache: 'no-store' }))
        return []
      },
    },
    chains: chains.map(({ name, rpcUrl, chainId }) => ({
      id: `chain-${name}`,
      label: messages.status.chain(name),
      url: rpcUrl,
      probe: async (signal) => {
        const [block, id] = await Promise.all([
          callChain(rpcUrl, 'eth_blockNumber', signal),
          callChain(rpcUrl, 'eth_chainId', signal),
        ])
        if (Number(id) !== chainId) throw notAsAgreed(messages.status.wrongChain(Number(id)))
        return [messages.status.block(formatCount(BigInt(block)))]
      },
    })),
    keyNodes: keyNodes.map((url, index) => ({
      id: `key-${index + 1}`,
      label: messages.status.keyNode(index + 1),
      url,
      probe: async (signal) => {
        const [{ node, time }] = await Promise.all([
          getJson(url, `/api/keys/node/${index + 1}`, signal).then((json) => v.parse(getKeyNode.response.schema, json)),
          getJson(url, '/healthz', signal).then((json) => v.parse(getHealth.response.schema, json)),
        ])
        if (node !== index + 1) throw notAsAgreed(messages.status.wrongNode(node))
        const offMs = Math.abs(time - Date.now())
        return offMs > maxClockMs ? [messages.status.clock(offMs)] : []
      },
    })),
    providers: providers.map(({ url, id }, index) => ({
      id: `provider-${id}`,
      label: messages.status.provider(index + 1),
      url,
      probe: async (signal) => {
        const about = v.parse(describeProvider.response.schema, await getJson(url, '/', signal))
        return [
          about.name,
          messages.status.version(about.version),
          messages.status.capacity(about.usedBytes, about.capacityBytes),
        ]
      },
    })),
  }
}

async function getJson(base: string, path: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(joinUrl(base, path), { signal, cache: 'no-store', credentials: 'omit' })
  await expectOk(response)
  return response.json()
}

async function expectOk(response: Response): Promise<void> {
  if (response.ok) return
  await response.body?.cancel()
  throw notAsAgreed(`status ${response.status}`)
}

const rpcAnswer = v.object({ result: v.pipe(v.string(), v.hexadecimal()) })

async function callChain(url: string, method: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    signal,
    cache: 'no-store',
  })
  await expectOk(response)
  return v.parse(rpcAnswer, await response.json()).result
}

function notAsAgreed(message: string): CairnError {
  return new CairnError('UNEXPECTED_RESPONSE', { message })
}
