import {
  type AddressChange,
  CairnError,
  callTimeoutMs,
  getNetworkProfile,
  listAddressChanges,
  mergeTrustedAddresses,
  type NetworkProfile,
  parseNetworkProfile,
  parseTrustedAddresses,
  type TrustedAddresses,
  trustedAddressesOf,
  withoutTrailing,
} from '@cairn/protocol'
import { findNetwork, readProfile } from '#platform/find-network'
import { createClient } from './client.ts'
import { openResponse, readText, tryAgain } from './request.ts'

const maxProfileBytes = 1024 * 1024
const profilePath = getNetworkProfile.path

/** Stores the addresses of the networks that a program loads by URL. */
export type KnownNetworks = {
  /** Returns what was written for a URL, as JSON; undefined if nothing was. */
  read(url: string): Promise<unknown>
  write(url: string, trusted: TrustedAddresses): Promise<void>
}

/** Options of {@link loadNetwork}. */
export type LoadNetworkOptions = {
  /**
   * Stores the addresses that receive keys and payments, for profiles loaded by URL: a later profile with other addresses is
   * refused. Without it, every profile is trusted.
   */
  known?: KnownNetworks
  /** Ends the request of a profile, which then throws ABORTED. */
  signal?: AbortSignal
}

/** A network as its profile describes it now. */
export type InspectedNetwork = {
  profile: NetworkProfile
  /** Where the profile is from; undefined if it is a file, which is always trusted. */
  url: string | undefined
  /** Addresses that receive keys and payments and are not known yet. */
  changes: AddressChange[]
  /** Makes the addresses of the profile the known ones. */
  trust(): Promise<void>
}

/** Errors of servers without a profile, such as the gateway of a network or its S3 API. */
const ofOtherServers = ['NOT_FOUND', 'FORBIDDEN', 'METHOD_NOT_ALLOWED', 'UNEXPECTED_RESPONSE'] as const

/**
 * Loads the profile of a network.
 * @param where a URL (with `/.well-known/cairn.json` below it) or a file. In Node, defaults to `CAIRN_NETWORK`, else
 *   `network.json` in `CAIRN_HOME`, else the nearest `.cairn/network.json` in this folder or above. Required in
 *   browsers.
 * @throws CairnError NO_NETWORK, NETWORK_ERROR, ABORTED; NETWORK_CHANGED with the `changes`
 */
export async function loadNetwork(where?: string, { known, signal }: LoadNetworkOptions = {}): Promise<NetworkProfile> {
  if (known === undefined) return (await readNetwork(where, signal)).profile
  const { profile, changes, learn } = await compare(known, where, signal)
  if (changes.length > 0) throw new CairnError('NETWORK_CHANGED', { details: { changes } })
  await learn()
  return profile
}

/**
 * Loads the profile of a network without refusing its changes, to show them and to accept them.
 * @throws CairnError NO_NETWORK, NETWORK_ERROR, ABORTED
 */
export async function inspectNetwork(
  known: KnownNetworks,
  where?: string,
  { signal }: Pick<LoadNetworkOptions, 'signal'> = {},
): Promise<InspectedNetwork> {
  const { learn: _learn, ...found } = await compare(known, where, signal)
  return found
}

/** Compares a network with its known addresses. `learn` adds addresses of a kind of which none was known. */
async function compare(
  known: KnownNetworks,
  where: string | undefined,
  signal: AbortSignal | undefined,
): Promise<InspectedNetwork & { learn(): Promise<void> }> {
  const { profile, url } = await readNetwork(where, signal)
  const nothing = async () => undefined
  if (url === undefined) return { profile, url, changes: [], trust: nothing, learn: nothing }
  const now = trustedAddressesOf(profile)
  const stored = parseTrustedAddresses(await known.read(url))
  const before = stored ?? now
  const learned = mergeTrustedAddresses(before, now)
  return {
    profile,
    url,
    changes: listAddressChanges(before, now),
    trust: () => known.write(url, mergeTrustedAddresses(now, before)),
    learn: async () => {
      if (JSON.stringify(learned) !== JSON.stringify(stored)) await known.write(url, learned)
    },
  }
}

/** Reads a profile; with the URL by which it is known, unless it is a file. */
async function readNetwork(
  where: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Pick<InspectedNetwork, 'profile' | 'url'>> {
  const source = where ?? findNetwork()
  const url = /^https?:\/\//i.test(source) ? withoutTrailing(source, '/').replace(profilePath, '') : undefined
  const json = url === undefined ? await readProfile(source) : await fetchProfile(url, signal)
  try {
    return { profile: parseNetworkProfile(json), url }
  } catch (cause) {
    throw new CairnError('NO_NETWORK', { message: `${source} is not a network profile`, cause })
  }
}

async function fetchProfile(base: string, signal: AbortSignal | undefined): Promise<unknown> {
  const client = createClient({ network: { name: '', api: base, upload: base, gateway: base } })
  const attempt = async () => {
    const response = await openResponse(client, {
      url: base.endsWith('.json') ? base : `${base}${profilePath}`,
      method: 'GET',
      dialect: 'api',
      signal,
      timeoutMs: callTimeoutMs,
    })
    return readText(response, maxProfileBytes, signal)
  }
  try {
    return JSON.parse(await tryAgain(attempt, signal))
  } catch (cause) {
    if (CairnError.is(cause) && !ofOtherServers.some((code) => cause.code === code)) throw cause
    throw new CairnError('NO_NETWORK', {
      message: `${base} is not a Cairn network`,
      hint: 'Use the address of the API, not that of the gateway or of a key node.',
      cause,
    })
  }
}
