import { CairnError, callTimeoutMs, type NetworkProfile, parseNetworkProfile } from '@cairn/protocol'
import { findProfile, readProfile } from '#platform'
import { createClient } from './client.ts'
import { openResponse, readText } from './request.ts'

const profileBytesMost = 1024 * 1024

/**
 * Finds out where a network is: from a URL (`/.well-known/cairn.json` below it), a file, or, in Node and with nothing
 * told, the nearest `.cairn/network.json` here or above.
 * @throws CairnError NO_NETWORK, NETWORK_ERROR
 */
export async function loadNetwork(where?: string): Promise<NetworkProfile> {
  const json =
    where === undefined
      ? await findProfile()
      : /^https?:\/\//.test(where)
        ? await fetchProfile(where)
        : await readProfile(where)
  try {
    return parseNetworkProfile(json)
  } catch (cause) {
    throw new CairnError('NO_NETWORK', { message: `${where ?? 'network.json'} is not a network profile`, cause })
  }
}

async function fetchProfile(url: string): Promise<unknown> {
  const base = url.replace(/\/+$/, '')
  const client = createClient({ network: { name: '', api: base, upload: base, gateway: base } })
  const response = await openResponse(client, {
    url: base.endsWith('.json') ? base : `${base}/.well-known/cairn.json`,
    method: 'GET',
    dialect: 'api',
    timeoutMs: callTimeoutMs,
  })
  try {
    return JSON.parse(await readText(response, profileBytesMost))
  } catch (cause) {
    throw new CairnError('NO_NETWORK', { message: `${url} is not a Cairn network`, cause })
  }
}
