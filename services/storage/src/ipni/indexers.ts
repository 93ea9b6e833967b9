import { CairnError } from '@cairn/protocol'
import { CID } from 'multiformats/cid'
import * as v from 'valibot'
import type { Publisher } from './identity.ts'
import { toMultiaddrBytes } from './multiaddr.ts'

const timeoutMs = 15_000
const maxAnswerBytes = 1_000_000

/** The part of an indexer's answer about a provider that is read. */
const providerSchema = v.object({ LastAdvertisement: v.nullish(v.object({ '/': v.string() })) })

/**
 * Announces to an indexer that the chain has a new head, which it then fetches.
 * @param address multiaddr of the API, where the chain is served
 * @throws CairnError UPSTREAM_FAILED
 */
export async function announceHead(
  indexer: string,
  { peerBytes }: Publisher,
  head: CID,
  address: string,
  signal: AbortSignal,
): Promise<void> {
  const addrs = [Buffer.from(toMultiaddrBytes(address, peerBytes)).toString('base64')]
  const response = await request(new URL('announce', withSlash(indexer)), signal, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'user-agent': 'cairn' },
    body: JSON.stringify({ Cid: { '/': head.toString() }, Addrs: addrs }),
  })
  await response.body?.cancel()
  if (!response.ok) throw failed(indexer, `it responded with status ${response.status}`)
}

/**
 * Returns the last advertisement that an indexer read of a publisher; undefined when it knows none, or does not answer
 * such questions.
 */
export async function findLastAdvertisement(
  indexer: string,
  { peerId }: Publisher,
  signal: AbortSignal,
): Promise<CID | undefined> {
  try {
    const response = await request(new URL(`providers/${peerId}`, withSlash(indexer)), signal, {})
    if (!response.ok || Number(response.headers.get('content-length') ?? 0) > maxAnswerBytes) {
      await response.body?.cancel()
      return undefined
    }
    const { LastAdvertisement: last } = v.parse(providerSchema, await response.json())
    return last == null ? undefined : CID.parse(last['/'])
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

async function request(url: URL, signal: AbortSignal, init: RequestInit): Promise<Response> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    return await fetch(url, { ...init, redirect: 'error', signal: limit })
  } catch (error) {
    signal.throwIfAborted()
    throw failed(url.origin, 'it could not be reached', error)
  }
}

function failed(indexer: string, why: string, cause?: unknown): CairnError {
  return new CairnError('UPSTREAM_FAILED', {
    message: `The indexer ${indexer} did not accept an announcement: ${why}`,
    cause,
  })
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}
