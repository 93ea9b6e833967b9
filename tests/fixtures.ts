import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNetwork, type Network } from '@cairn/local'
import { scopes as allScopes, type NetworkProfile, type Scope } from '@cairn/protocol'
import { type Client, createClient, openKeySession } from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { writeMigratedFile as writeNodeFile } from '../services/keynode/src/db/migrated-file.fixture.ts'
import { writeMigratedFile as writeStorageFile } from '../services/storage/src/db/migrated-file.fixture.ts'

/** A local network for one test, on free ports and in a temporary folder that is removed with it. */
export type TestNetwork = Network

export async function createTestNetwork(
  environment: Record<string, string> = {},
  /** Most tests pay nothing and need no chain. */
  chain: 'local' | 'none' = 'none',
  mineEveryMs = 20,
  /** Number of storage providers; most tests need none. */
  providers = 0,
): Promise<TestNetwork> {
  const home = await mkdtemp(join(tmpdir(), 'cairn-test-'))
  await writeDatabases(home, environment)
  const network = await createNetwork({
    home,
    ports: 'any',
    chain,
    mineEveryMs,
    providers,
    environment: { CAIRN_LOG_LEVEL: 'silent', ...environment },
  })
  return {
    ...network,
    async [Symbol.asyncDispose]() {
      await network[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/**
 * Writes what the first start of a network would create: its migrated databases. The tests of `@cairn/local` and of `npm start`
 * begin without them.
 */
async function writeDatabases(home: string, environment: Record<string, string>): Promise<void> {
  if (environment['CAIRN_DATABASE_URL'] === undefined) await writeStorageFile(join(home, 'storage.sqlite'))
  if (environment['CAIRN_KEYNODE_DATABASE_URL'] !== undefined) return
  for (const node of [1, 2, 3, 4, 5]) {
    const folder = join(home, `keynode-${node}`)
    await mkdir(folder, { mode: 0o700 })
    await writeNodeFile(join(folder, 'keynode.sqlite'))
  }
}

/** An API key of a wallet (by default a fresh one). Defaults to all scopes and no expiry. */
export async function createTestKey(
  network: { profile: Pick<TestNetwork['profile'], 'api'> },
  privateKey = generatePrivateKey(),
  options: { scopes?: Scope[]; keyName?: string; expiresAt?: number } = {},
): Promise<{ apiKey: string; address: string; privateKey: `0x${string}` }> {
  const account = privateKeyToAccount(privateKey)
  const { api } = network.profile
  const { scopes = allScopes, expiresAt = 'never', keyName } = options
  const query = new URLSearchParams({
    publicKey: account.address,
    purpose: 'api-key',
    scopes: scopes.join(','),
    expiresAt: String(expiresAt),
  })
  const message: unknown = await (await fetch(`${api}/api/auth/get_message?${query}`)).json()
  if (typeof message !== 'string') throw new Error(`no message: ${JSON.stringify(message)}`)
  const answer = await fetch(`${api}/api/auth/create_api_key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      publicKey: account.address,
      signedMessage: await account.signMessage({ message }),
      keyName,
    }),
  })
  const apiKey: unknown = await answer.json()
  if (typeof apiKey !== 'string') throw new Error(`no key: ${JSON.stringify(apiKey)}`)
  return { apiKey, address: account.address.toLowerCase(), privateKey }
}

/** A client of a wallet (by default a new one) with an API key and a session with the key nodes. */
export async function createKeyClient(
  network: { profile: NetworkProfile },
  privateKey = generatePrivateKey(),
): Promise<Client & { address: string; privateKey: string }> {
  const { apiKey, address } = await createTestKey(network, privateKey)
  const keySession = await openKeySession(createClient({ network: network.profile }), { privateKey })
  return { ...createClient({ network: network.profile, apiKey, keySession }), address, privateKey }
}
