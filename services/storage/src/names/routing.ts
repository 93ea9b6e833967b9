import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { nameKeyFromSeed, parseName } from '@cairn/names'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { deriveKey } from '../secrets/derive-key.ts'

/** A peer in delegated routing. @see https://specs.ipfs.tech/routing/http-routing-v1/#peer-schema */
export type PeerRecord = { Schema: 'peer'; ID: string; Addrs: string[]; Protocols: string[] }

/** Filters of a request. @see https://specs.ipfs.tech/ipips/ipip-0484/ */
export type PeerFilters = { 'filter-addrs'?: string | undefined; 'filter-protocols'?: string | undefined }

const gatewayProtocol = 'transport-ipfs-gateway-http'

/**
 * Describes our gateway as a provider. Its id is derived from the service's secret, so that it is the same on all
 * replicas.
 */
async function describeGateway(secret: Uint8Array, gatewayUrl: string): Promise<PeerRecord> {
  const { name } = await nameKeyFromSeed(deriveKey(secret, 'gateway-peer'))
  return { Schema: 'peer', ID: peerIdOf(name), Addrs: addressesOf(gatewayUrl), Protocols: [gatewayProtocol] }
}

/** Describes the gateway once; its address is known when the first request arrives. */
export function describeGatewayOnce(secret: Uint8Array, gatewayUrl: () => string): () => Promise<PeerRecord> {
  let described: Promise<PeerRecord> | undefined
  return () => {
    described ??= describeGateway(secret, gatewayUrl())
    return described
  }
}

/** Returns a name in the usual form of peer ids: the multihash in base58. */
export function peerIdOf(name: string): string {
  return base58btc.encode(CID.parse(parseName(name), base36).multihash.bytes).slice(1)
}

/** Multiaddrs of a peer with its id, which is all there is for one without addresses. */
export function listPeerAddresses({ ID, Addrs }: PeerRecord): string[] {
  return (Addrs.length === 0 ? [''] : Addrs).map((address) => `${address}/p2p/${ID}`)
}

/** Converts a URL to a multiaddr; none for one with a path, which multiaddrs of gateways cannot express. */
export function addressesOf(gatewayUrl: string): string[] {
  const { protocol, hostname, port, pathname } = new URL(gatewayUrl)
  if (pathname !== '/') return []
  const host = hostname.replace(/^\[|\]$/g, '')
  const version = isIP(host)
  const isTls = protocol === 'https:'
  const kind = version === 0 ? 'dns' : `ip${version}`
  return [`/${kind}/${host}/tcp/${port || (isTls ? '443' : '80')}/${isTls ? 'https' : 'http'}`]
}

/** Applies the filters to a record; undefined when nothing remains. */
export function filterPeer(record: PeerRecord, filters: PeerFilters): PeerRecord | undefined {
  const protocols = readList(filters['filter-protocols'])
  if (protocols.length > 0 && !record.Protocols.some((protocol) => protocols.includes(protocol))) return undefined
  const parts = readList(filters['filter-addrs'])
  if (parts.length === 0) return record
  const unwanted = parts.flatMap((part) => (part.startsWith('!') ? [part.slice(1)] : []))
  const wanted = parts.filter((part) => !part.startsWith('!') && part !== 'unknown')
  const addresses = record.Addrs.filter((address) => {
    const has = address.split('/')
    return (
      !unwanted.some((part) => has.includes(part)) && (wanted.length === 0 || wanted.some((part) => has.includes(part)))
    )
  })
  if (addresses.length === 0 && !(record.Addrs.length === 0 && parts.includes('unknown'))) return undefined
  return { ...record, Addrs: addresses }
}

function readList(text: string | undefined): string[] {
  return (text ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Returns an entity tag for a record. */
export function recordTag(bytes: Uint8Array): string {
  return `"${hash('sha256', bytes, 'hex').slice(0, 32)}"`
}
