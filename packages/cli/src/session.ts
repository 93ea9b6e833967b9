import { readFile } from 'node:fs/promises'
import {
  CairnError,
  type Client,
  createApiKey,
  createClient,
  getUsage,
  loadNetwork,
  type NetworkProfile,
  scopes,
} from '@cairn/sdk'
import type { Environment } from './environment.ts'
import type { Output } from './output.ts'
import type { State } from './state.ts'

/** The network and key of this run, found out when first needed. */
export type Session = {
  network(): Promise<NetworkProfile>
  /** A client without a key. */
  anonymous(): Promise<Client>
  /** The key that would be used, if there is one; nobody is asked whether it is valid. */
  keptKey(): Promise<string | undefined>
  /** A client with the kept key, or without one. */
  optionalClient(): Promise<Client>
  /** A client with a key; on a local network one is made with its test wallet where there is none. @throws CairnError NO_API_KEY */
  client(): Promise<Client>
}

export type SessionOptions = {
  network: string | undefined
  apiKeyFile: string | undefined
  environment: Environment
  state: State
  output: Output
}

export function createSession({ network: wanted, apiKeyFile, environment, state, output }: SessionOptions): Session {
  let loaded: Promise<NetworkProfile> | undefined
  const network = () => {
    loaded ??= loadNetwork(wanted)
    return loaded
  }
  const givenKey = async (): Promise<string | undefined> => {
    if (apiKeyFile !== undefined) {
      const text = await readFile(apiKeyFile, 'utf8').catch((cause: unknown) => {
        throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${apiKeyFile}`, cause })
      })
      return text.trim()
    }
    return environment.apiKey
  }
  const readKey = async (profile: NetworkProfile): Promise<string> => {
    const given = await givenKey()
    if (given !== undefined) return given
    const kept = await state.readKey(profile.api)
    if (kept !== undefined) {
      if (profile.wallet === undefined || (await isAccepted(profile, kept))) return kept
      // A local network that was begun anew does not know the keys of the one before.
    }
    if (profile.wallet === undefined) throw new CairnError('NO_API_KEY')
    const key = await createApiKey(
      createClient({ network: profile }),
      { privateKey: profile.wallet.privateKey },
      // Of a wallet that everybody on this machine can use.
      { name: 'cairn command line', scopes, expiresAt: null },
    )
    await state.writeKey(profile.api, key)
    output.note(`Made an API key for the local network's test wallet ${profile.wallet.address}.`)
    return key
  }
  const keptKey = async () => (await givenKey()) ?? state.readKey((await network()).api)
  const anonymous = async () => createClient({ network: await network() })
  const client = async () => {
    const profile = await network()
    return createClient({ network: profile, apiKey: await readKey(profile) })
  }
  return {
    network,
    keptKey,
    anonymous,
    optionalClient: async () => ((await keptKey()) === undefined ? anonymous() : client()),
    client,
  }
}

async function isAccepted(network: NetworkProfile, apiKey: string): Promise<boolean> {
  try {
    await getUsage(createClient({ network, apiKey }))
    return true
  } catch (error) {
    if (CairnError.is(error) && (error.status === 401 || error.code === 'UNAUTHENTICATED')) return false
    throw error
  }
}
