import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import {
  createSessionKey,
  type PlainSessionKey,
  proofHeader,
  signMessage,
  signRequest,
  walletFromPrivateKey,
  writeChallenge,
  writeSignIn,
} from '@cairn/crypto'
import pino from 'pino'
import { generatePrivateKey } from 'viem/accounts'
import { readKeyNodeConfig } from './config.ts'
import { type KeyNode, type KeyNodeOptions, startKeyNode } from './start.ts'

/** A key node for one test, with a clock that the test controls. */
export type TestNode = KeyNode & {
  readonly home: string
  readonly lines: readonly string[]
  pass(ms: number): void
  now(): number
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Stops the process; its folder stays. */
  stop(): Promise<void>
}

export type Answer = { status: number; code: string | null; json: unknown; text: string }
export type CallOptions = {
  body?: unknown
  token?: string
  headers?: Record<string, string>
  sessionKey?: PlainSessionKey
}

export type TestWallet = { address: string; privateKey: string }

export function createTestWallet(): TestWallet {
  const { address, privateKey } = walletFromPrivateKey(generatePrivateKey())
  return { address: address.toLowerCase(), privateKey }
}

export async function startTestNode(
  environment: Record<string, string> = {},
  { home: given, time, ...options }: { home?: string; time?: { ms: number } } & Pick<KeyNodeOptions, 'background'> = {},
): Promise<TestNode> {
  const home = given ?? (await mkdtemp(join(tmpdir(), 'cairn-keynode-')))
  const clock = time ?? { ms: Date.now() }
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const config = readKeyNodeConfig({
    CAIRN_KEYNODE_NUMBER: '1',
    CAIRN_KEYNODE_HOME: home,
    CAIRN_KEYNODE_PORT: '0',
    CAIRN_KEYNODE_DOMAINS: 'keys.test',
    CAIRN_KEYNODE_SECRET: '11'.repeat(32),
    CAIRN_RATE_FACTOR: '0',
    CAIRN_STOP_TIMEOUT_SECONDS: '1',
    CAIRN_LOG_LEVEL: 'trace',
    ...environment,
  })
  const node = await startKeyNode(config, {
    ...options,
    clock: { now: () => clock.ms },
    log: pino({ level: 'trace' }, sink),
  })
  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    const body = options.body === undefined ? undefined : JSON.stringify(options.body)
    const headers: Record<string, string> = { ...options.headers }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`
    if (options.sessionKey !== undefined) {
      const request = { method, path, node: config.node, body: body ?? '', token: options.token ?? '' }
      headers[proofHeader] = signRequest(request, options.sessionKey.secretKey, clock.ms)
    }
    const answer = await fetch(`${node.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await answer.text()
    return { status: answer.status, code: answer.headers.get('x-cairn-code'), text, json: JSON.parse(text) }
  }
  return {
    ...node,
    home,
    lines,
    call,
    now: () => clock.ms,
    pass(ms) {
      clock.ms += ms
    },
    async stop() {
      await node[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** Fields of a challenge, each replaceable. */
export type ChallengeRequest = {
  id?: string
  domain?: string
  network?: string
  issuedAt?: number
  expiresAt?: number
  address?: string
}

/**
 * Creates a text with this node's nonce for a wallet to sign: the router's, or a sign-in when a session key is given.
 */
export async function createText(
  node: TestNode,
  wallet: TestWallet,
  request: ChallengeRequest = {},
  sessionKey?: PlainSessionKey,
): Promise<string> {
  const subject = {
    id: request.id ?? crypto.randomUUID(),
    domain: request.domain ?? 'keys.test',
    address: request.address ?? wallet.address,
    issuedAt: request.issuedAt ?? node.now(),
    expiresAt: request.expiresAt ?? node.now() + 600_000,
  }
  const { json } = await node.call('POST', `/api/keys/nonce/${node.node}`, { body: subject })
  const nonce = typeof json === 'object' && json !== null && 'nonce' in json ? String(json.nonce) : '0'.repeat(32)
  const nonces = [1, 2, 3, 4, 5].map((number) => (number === node.node ? nonce : undefined))
  const challenge = { ...subject, network: request.network ?? 'local', nonces }
  return sessionKey === undefined
    ? writeChallenge(challenge)
    : writeSignIn({ ...challenge, sessionKey: sessionKey.publicKey })
}

export type TestSession = TestWallet & { token: string; refreshToken: string; sessionKey: PlainSessionKey }

/** Opens a session bound to a key. */
export async function openTestSession(node: TestNode, wallet = createTestWallet()): Promise<TestSession> {
  const sessionKey = createSessionKey()
  const text = await createText(node, wallet, {}, sessionKey)
  const answer = await openWith(node, wallet, [text])
  if (answer.status !== 200) throw new Error(`no session: ${answer.text}`)
  const { token, refreshToken } = answer.json as { token: string; refreshToken: string }
  return { ...wallet, token, refreshToken, sessionKey }
}

/** Presents signed texts to a node. */
export function openWith(
  node: TestNode,
  wallet: TestWallet,
  messages: string[],
  signature = signMessage(wallet.privateKey, messages[0] ?? ''),
): Promise<Answer> {
  return node.call('POST', `/api/keys/session/${node.node}`, { body: { address: wallet.address, messages, signature } })
}

/** Makes a call with a session. */
export function callAs(
  node: TestNode,
  session: TestSession,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const { token, sessionKey } = session
  return node.call(method, path, {
    token,
    sessionKey,
    ...(body === undefined ? {} : { body: { address: session.address, ...body } }),
  })
}
