import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { scopes as allScopes, type Scope } from '@cairn/protocol'
import pino from 'pino'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { readConfig } from './config.ts'
import { writeMigratedFile } from './db/migrated-file.fixture.ts'
import { type Storage, startStorage } from './start.ts'

/** A complete service on real stores, for tests of its frame. */
export type TestStorage = Storage & {
  home: string
  /** Every logged line. */
  readonly log: readonly string[]
  /** Advances the service's clock. */
  pass(ms: number): void
  /** Calls the API and reads the whole answer. */
  call(path: string, options?: RequestInit): Promise<{ status: number; headers: Headers; body: string; json: unknown }>
  /** Requests a message for an address to sign, as published clients do unless `query` adds parameters. */
  getMessage(address: string, query?: Record<string, string>): Promise<string>
  /** Creates an API key for a wallet. Defaults to all scopes and no expiry. */
  createKey(account?: PrivateKeyAccount, options?: KeyOptions): Promise<string>
}

type KeyOptions = { keyName?: string; scopes?: readonly Scope[]; expiresAt?: number }

export const bearer = (key: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${key}` },
})

export const jsonBody = (body: unknown, method = 'POST'): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Returns the code of the error that an answer reports; null if it reports none. */
export const errorCodeOf = (answer: { headers: Headers }): string | null => answer.headers.get('x-cairn-code')

/** Returns a function that calls the API with an API key, and with a JSON body if there is one. */
export function callWithKey(storage: TestStorage, key: string) {
  return (path: string, method = 'GET', body?: unknown) => {
    const { headers, ...rest }: RequestInit = body === undefined ? { method } : jsonBody(body, method)
    return storage.call(path, { ...rest, headers: { ...headers, ...bearer(key).headers } })
  }
}

/** Starts the service in a temporary folder, on free ports. */
export async function startTestStorage(environment: Record<string, string> = {}): Promise<TestStorage> {
  const home = await mkdtemp(join(tmpdir(), 'cairn-storage-'))
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  let passedMs = 0
  const config = readConfig({
    CAIRN_HOME: home,
    CAIRN_PORT: '0',
    CAIRN_GATEWAY_PORT: '0',
    // Tests open accounts from one address, on disks with any amount of free space.
    CAIRN_FREE_ACCOUNTS_PER_DAY: '',
    CAIRN_FREE_DISK_RESERVE: '0',
    ...environment,
  })
  // Without it, the service creates the same in a new file; `tests/e2e/service-processes.test.ts` covers that.
  if (config.database.kind === 'sqlite' && config.home === home) await writeMigratedFile(config.database.path)
  const storage = await startStorage(config, {
    clock: { now: () => Date.now() + passedMs },
    log: pino({ level: 'trace' }, sink),
  })
  const call: TestStorage['call'] = async (path, options) => {
    const answer = await fetch(`${storage.apiUrl}${path}`, options)
    const body = await answer.text()
    let json: unknown
    if (body !== '' && answer.headers.get('content-type')?.startsWith('application/json')) json = JSON.parse(body)
    return { status: answer.status, headers: answer.headers, body, json }
  }
  const getMessage: TestStorage['getMessage'] = async (address, query = {}) => {
    const asked = new URLSearchParams({ publicKey: address, ...query })
    const { json, body } = await call(`/api/auth/get_message?${asked}`)
    if (typeof json !== 'string') throw new Error(`no message: ${body}`)
    return json
  }
  return {
    ...storage,
    home,
    log: lines,
    pass: (ms) => {
      passedMs += ms
    },
    call,
    getMessage,
    async createKey(account = privateKeyToAccount(generatePrivateKey()), { keyName, ...rights } = {}) {
      const { scopes = allScopes, expiresAt = 'never' } = rights
      const query = { scopes: scopes.join(','), expiresAt: String(expiresAt) }
      const signedMessage = await account.signMessage({ message: await getMessage(account.address, query) })
      const answer = await call(
        '/api/auth/create_api_key',
        jsonBody({ publicKey: account.address, signedMessage, keyName }),
      )
      if (typeof answer.json !== 'string') throw new Error(`no key: ${answer.body}`)
      return answer.json
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}
