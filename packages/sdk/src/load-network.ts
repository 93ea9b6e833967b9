import { CairnError, callTimeoutMs, type NetworkProfile, parseNetworkProfile } from '@cairn/protocol'
import { findNetwork, readProfile } from '#platform/find-network'
import { createClient } from './client.ts'
import { openResponse, readText } from './request.ts'

const maxProfileBytes = 1024 * 1024

/**
 * Loads the profile of a network.
 * @param where a URL (with `/.well-known/cairn.json` below it) or a file. In Node, defaults to `CAIRN_NETWORK`, else
 *   `network.json` in `CAIRN_HOME`, else the nearest `.cairn/network.json` in this folder or above. Required in
 *   browsers.
 * @throws CairnError NO_NETWORK, NETWORK_ERROR
 */
export async function loadNetwork(where?: string): Promise<NetworkProfile> {
  const source = where ?? findNetwork()
  const json = /^https?:\/\//.test(source) ? await fetchProfile(source) : await readProfile(source)
  try {
    return parseNetworkProfile(json)
  } catch (cause) {
    throw new CairnError('NO_NETWORK', { message: `${source} is not a network profile`, cause })
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
    return JSON.parse(await readText(response, maxProfileBytes))
  } catch (cause) {
    throw new CairnError('NO_NETWORK', { message: `${url} is not a Cairn network`, cause })
  }
}
