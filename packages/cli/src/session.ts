import { readFile } from 'node:fs/promises'
import {
  CairnError,
  type Client,
  createApiKey,
  createClient,
  getUsage,
  type InspectedNetwork,
  inspectNetwork,
  loadNetwork,
  type NetworkProfile,
  scopes,
} from '@cairn/sdk'
import type { Environment } from './environment.ts'
import { createKnownNetworks } from './state/known-networks.ts'
import type { KeptKey, State } from './state/state.ts'
import type { Output } from './terminal/output.ts'

/** Network and API key of this run, determined on first use. */
export type Session = {
  /** @throws CairnError NETWORK_CHANGED if addresses differ from those that this machine knows */
  network(): Promise<NetworkProfile>
  /** Returns the network as it is now, with what differs from what this machine knows. */
  inspectNetwork(): Promise<InspectedNetwork>
  /** Returns a client without an API key. */
  anonymous(): Promise<Client>
  /** Returns the stored API key of this account, without checking whether it is valid. */
  keptKey(): Promise<string | undefined>
  /** Returns a client with the stored API key, or without one. */
  optionalClient(): Promise<Client>
  /**
   * Returns a client with an API key; on a local network without a user wallet, creates one with its test wallet.
   * @throws CairnError NO_API_KEY
   */
  client(): Promise<Client>
}

export type SessionOptions = {
  network: string | undefined
  apiKeyFile: string | undefined
  environment: Environment
  state: State
  output: Output
  signal: AbortSignal
}

export function createSession({
  network: wanted,
  apiKeyFile,
  environment,
  state,
  output,
  signal,
}: SessionOptions): Session {
  const known = createKnownNetworks(state)
  let loaded: Promise<NetworkProfile> | undefined
  const network = () => {
    // A failure is not kept: `cairn mcp` may start before the network is available.
    loaded ??= loadNetwork(wanted, { known, signal }).catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
  const givenKey = async (): Promise<string | undefined> => {
    if (apiKeyFile !== undefined) {
      const text = await readFile(apiKeyFile, 'utf8').catch((cause: unknown) => {
        throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${apiKeyFile}`, cause })
      })
      return requireKeyForm(text, apiKeyFile)
    }
    return environment.apiKey === undefined ? undefined : requireKeyForm(environment.apiKey, 'CAIRN_API_KEY')
  }
  /**
   * Returns the address that this machine acts for: that of the user's wallet, else of the test wallet of a local
   * network.
   */
  const ownAddress = async ({ wallet }: NetworkProfile) => (await state.readAddress()) ?? wallet?.address.toLowerCase()
  const isOther = ({ address }: KeptKey, own: string | undefined) =>
    address !== undefined && own !== undefined && address !== own
  const readKey = async (profile: NetworkProfile): Promise<string> => {
    const given = await givenKey()
    if (given !== undefined) return given
    const own = await ownAddress(profile)
    const usableKey = async (): Promise<string | undefined> => {
      const kept = await state.readKey(profile.api)
      if (kept === undefined || isOther(kept, own)) return undefined
      // A local network that was reset does not know the keys of the previous one.
      return profile.wallet === undefined || (await isAccepted(profile, kept.key, signal)) ? kept.key : undefined
    }
    const usable = await usableKey()
    if (usable !== undefined) return usable
    const { wallet } = profile
    if (wallet === undefined || (await state.readAddress()) !== undefined)
      throw noKey(await state.readKey(profile.api), own)
    return state.whileCreatingKey(async () => (await usableKey()) ?? createTestKey(profile, wallet), {
      signal,
      onWait: () => output.note('Waiting for another cairn command that creates an API key.'),
    })
  }
  const createTestKey = async (
    profile: NetworkProfile,
    { address, privateKey }: NonNullable<NetworkProfile['wallet']>,
  ): Promise<string> => {
    const key = await createApiKey(
      createClient({ network: profile }),
      { privateKey },
      // For a wallet that every user of this machine can use.
      { name: 'cairn command line', scopes, expiresAt: null },
      { signal },
    )
    await state.writeKey(profile.api, { key, address: address.toLowerCase() })
    output.note(`Created an API key for the local network's test wallet ${address}.`)
    return key
  }
  const keptKey = async () => {
    const given = await givenKey()
    if (given !== undefined) return given
    const profile = await network()
    const kept = await state.readKey(profile.api)
    return kept === undefined || isOther(kept, await ownAddress(profile)) ? undefined : kept.key
  }
  const anonymous = async () => createClient({ network: await network() })
  const client = async () => {
    const profile = await network()
    return createClient({ network: profile, apiKey: await readKey(profile) })
  }
  return {
    network,
    inspectNetwork: () => inspectNetwork(known, wanted, { signal }),
    keptKey,
    anonymous,
    optionalClient: async () => ((await keptKey()) === undefined ? anonymous() : client()),
    client,
  }
}

/** A header cannot carry other characters, and the failure would look like one of the network. @throws CairnError UNAUTHENTICATED */
export function requireKeyForm(text: string, source: string): string {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new CairnError('UNAUTHENTICATED', {
    message: `${source} does not contain an API key`,
    hint: 'An API key is one word of ASCII letters, digits and symbols. To create one, run `cairn api-key new`.',
  })
}

function noKey(kept: KeptKey | undefined, own: string | undefined): CairnError {
  if (own === undefined) return new CairnError('NO_API_KEY')
  const whose = kept?.address === undefined || kept.address === own ? '' : `: the saved key belongs to ${kept.address}`
  return new CairnError('NO_API_KEY', { message: `No valid API key for your wallet ${own}${whose}` })
}

async function isAccepted(network: NetworkProfile, apiKey: string, signal: AbortSignal): Promise<boolean> {
  try {
    await getUsage(createClient({ network, apiKey }), { signal })
    return true
  } catch (error) {
    if (CairnError.is(error) && (error.status === 401 || error.code === 'UNAUTHENTICATED')) return false
    throw error
  }
}
