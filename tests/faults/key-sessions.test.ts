// Sessions with key nodes that come and go: what remains of them, and that no state is lost.
import { rm } from 'node:fs/promises'
import {
  type Client,
  closeKeySession,
  createClient,
  extendKeySession,
  getKey,
  getKeyStatus,
  lackingNodes,
  openKeySession,
  prepareKey,
  saveKey,
} from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FiveNodes, startFiveNodes, startLiar, withNodes } from '../five-nodes.ts'
import { skipPauses } from '../lighthouse/skip-pauses.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
let nodes: FiveNodes
let pauses: Disposable
beforeAll(async () => {
  nodes = await startFiveNodes()
  pauses = skipPauses()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await nodes?.[Symbol.asyncDispose]()
})

function sessionOf({ keySession }: Client) {
  if (keySession === undefined) throw new Error('a key client has a session')
  return keySession
}

test('a session closed while nodes are offline can still be closed there, and is valid for nothing else', async () => {
  const client = await nodes.client()
  await saveKey(client, cid, prepareKey())
  const session = sessionOf(client)
  // The state that a file would contain, in the hands of a thief.
  const stolen = structuredClone(session)
  await nodes.stop(2)
  await nodes.stop(5)
  const first = await closeKeySession(client, session)
  expect(first.closed).toEqual([1, 3, 4])
  expect(first.open.map(({ node, error }) => [node, error.code])).toEqual([
    [2, 'NETWORK_ERROR'],
    [5, 'NETWORK_ERROR'],
  ])
  expect(session.nodes.map((part) => part !== null)).toEqual([false, true, false, false, true])
  const kept = JSON.parse(JSON.stringify(session))
  await expect(getKeyStatus({ ...client, keySession: kept }, cid)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
  await nodes.start(2)
  await nodes.start(5)
  expect(await closeKeySession({ ...client, keySession: undefined }, kept)).toEqual({ closed: [2, 5], open: [] })
  expect(kept.nodes).toEqual([null, null, null, null, null])
  await expect(getKeyStatus({ ...client, keySession: stolen }, cid)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
  expect((await closeKeySession(client, stolen)).open, 'closed is closed').toEqual([])
})

test('closes a session whose tokens must be renewed first, and callers do not keep it', async () => {
  const client = await nodes.client()
  const session = sessionOf(client)
  for (const part of session.nodes) if (part !== null) part.expiresAt = 0
  const notified: unknown[] = []
  const result = await closeKeySession({ ...client, onKeySession: (one) => notified.push(one) }, session)
  expect(result).toEqual({ closed: [1, 2, 3, 4, 5], open: [] })
  expect(notified).toEqual([])
})

test('drops a session that nodes lost, and renews one that ended early by the clock of a node', async () => {
  const client = await nodes.client()
  const session = sessionOf(client)
  const file = `bafkrei${'b'.repeat(51)}q`
  const notified: unknown[] = []
  const keeping: Client = { ...client, onKeySession: (one) => notified.push(structuredClone(one)) }
  const early = session.nodes[0]
  if (early == null) throw new Error('node 1 has a part')
  // The node reports that the token has expired, not the session.
  let refused = 0
  const fetchOnce: Client['fetch'] = async (input, init) => {
    const { authorization } = (init?.headers ?? {}) as Record<string, string>
    if (refused > 0 || authorization !== `Bearer ${early.token}`) return fetch(input, init)
    refused++
    const headers = { 'x-cairn-code': 'SESSION_EXPIRED', 'content-type': 'application/json' }
    return new Response('{"message":"Invalid Signature"}', { status: 401, headers })
  }
  await expect(getKey({ ...keeping, fetch: fetchOnce }, file)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })
  expect([refused, notified.length, session.nodes[0]?.refreshToken === early.refreshToken]).toEqual([1, 1, false])
  for (const node of [1, 2, 3]) {
    await nodes.stop(node)
    await rm(nodes.folder(node), { recursive: true })
    await nodes.start(node)
  }
  await expect(getKey(keeping, file)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
  expect(session.nodes.map((part) => part !== null)).toEqual([false, false, false, true, true])
  expect(notified.at(-1)).toEqual(session)
  // Users sign in again, because a later retry would not help.
  await expect(getKey(keeping, file)).rejects.toMatchObject({ code: 'NO_SESSION' })
})

/** Removes a node's sessions but not its keys, like a restore from an old backup. */
async function loseSessions(...lost: number[]): Promise<void> {
  for (const node of lost) {
    await nodes.stop(node)
    nodes.forge(node, 'DELETE FROM session')
    await nodes.start(node)
  }
}

test('a client with a signer signs in again at a node that lost its session, and a change reaches all five', async () => {
  const client = await nodes.client()
  const session = sessionOf(client)
  const { sessionKey, nodes: parts } = structuredClone(session)
  const file = `bafkrei${'c'.repeat(51)}q`
  await loseSessions(5)
  const signed: string[] = []
  const notified: number[] = []
  const { privateKey, address } = client
  const signer = {
    address,
    sign: (message: string) => {
      signed.push(message)
      return privateKeyToAccount(privateKey).signMessage({ message })
    },
  }
  const able: Client = { ...client, signer, onKeySession: ({ nodes: now }) => notified.push(now.indexOf(null) + 1) }
  const saved = await saveKey(able, file, prepareKey())
  expect(saved).toMatchObject({ done: [1, 2, 3, 4, 5], pending: [] })
  expect(signed).toHaveLength(1)
  expect(signed[0]?.match(/key-nodes.*/g), 'signs in there alone').toEqual(['key-nodes/5/session'])
  expect(session.sessionKey).toEqual(sessionKey)
  expect(session.nodes.slice(0, 4), 'the other parts stay').toEqual(parts.slice(0, 4))
  expect([notified, session.failures]).toEqual([[5, 0], undefined])
  // Without a signer, the client gets an error, and can see what it lacks.
  await loseSessions(5)
  const second = await getKeyStatus(client, file)
  expect(second.nodes.map(({ error }) => error?.code)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    'SESSION_EXPIRED',
  ])
  expect([lackingNodes(session), session.failures?.map(({ node, code }) => [node, code])]).toEqual([
    [5],
    [[5, 'SESSION_EXPIRED']],
  ])
  await extendKeySession(client, session, { privateKey })
  expect([lackingNodes(session), session.failures]).toEqual([[], undefined])
  expect((await getKeyStatus(client, file)).health).toBe('whole')
})

test('many calls share one signature for a node that was offline at sign-in', async () => {
  await nodes.stop(4)
  const client = await nodes.client()
  await nodes.start(4)
  const { privateKey, address } = client
  let signatures = 0
  const signer = {
    address,
    sign: (message: string) => {
      signatures++
      return privateKeyToAccount(privateKey).signMessage({ message })
    },
  }
  const able: Client = { ...client, signer }
  const files = Array.from({ length: 8 }, (_file, i) => `bafkreid${'defghijk'.charAt(i).repeat(50)}q`)
  const reports = await Promise.allSettled(files.map((file) => getKeyStatus(able, file)))
  expect(new Set(reports.map((one) => one.status === 'rejected' && one.reason.code))).toEqual(
    new Set(['KEY_NOT_FOUND']),
  )
  expect([signatures, lackingNodes(sessionOf(client))]).toEqual([1, []])
})

test('asks no wallet for a closed session or an aborted call', async () => {
  const client = await nodes.client()
  const session = sessionOf(client)
  let count = 0
  const signer = { address: client.address, sign: async () => `0x${(count++).toString(16)}` as const }
  const able: Client = { ...client, signer }
  await loseSessions(5)
  const givenUp = AbortSignal.abort()
  await expect(getKey(able, cid, { signal: givenUp })).rejects.toMatchObject({ code: 'ABORTED' })
  session.nodes[4] = null
  await expect(getKey(able, cid, { signal: givenUp })).rejects.toMatchObject({ code: 'ABORTED' })
  await closeKeySession(client, session)
  await expect(extendKeySession(client, session, signer)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
  await expect(getKey(able, cid)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
  expect(count).toBe(0)
})

test('requests one signature for a node that rejects every sign-in, and does not ask a failing signer at each call', async () => {
  const client = await nodes.client()
  const { privateKey, address } = client
  const file = `bafkreid${'m'.repeat(50)}q`
  await saveKey(client, file, prepareKey())
  await loseSessions(3)
  await using rejecting = await startLiar(nodes.url(3), (request, { status, body }, response) => {
    const isOpening = request.method === 'POST' && (request.url?.includes('/keys/session') ?? false)
    const headers = { 'x-cairn-code': 'INVALID_SIGNATURE', 'content-type': 'application/json' }
    if (isOpening) response.writeHead(401, headers).end('{"message":"Invalid Signature"}')
    else response.writeHead(status).end(body)
  })
  let signatures = 0
  const signer = {
    address,
    sign: (message: string) => {
      signatures++
      return privateKeyToAccount(privateKey).signMessage({ message })
    },
  }
  const able: Client = { ...withNodes(client, { 3: rejecting.url }), signer }
  for (let turn = 0; turn < 3; turn++) {
    const { nodes: seen } = await getKeyStatus(able, file)
    expect(seen.map(({ error }) => error?.code)).toEqual([undefined, undefined, 'NO_SESSION', undefined, undefined])
  }
  expect(signatures).toBe(1)
  const other = await nodes.client()
  await loseSessions(3)
  let asked = 0
  const failing = { address: other.address, sign: () => Promise.reject(new Error(`no ${++asked}`)) }
  for (let turn = 0; turn < 3; turn++) await getKey({ ...other, signer: failing }, file).catch(() => undefined)
  expect([asked, lackingNodes(sessionOf(other))]).toEqual([1, [3]])
  // Another wallet cannot enter this session.
  await expect(extendKeySession(other, sessionOf(other), { privateKey })).rejects.toMatchObject({
    code: 'INVALID_SIGNATURE',
  })
})

type Lie = Parameters<typeof startLiar>[1]
const change =
  (fields: Record<string, string>): Lie =>
  (_request, { status, body }, response) =>
    response.writeHead(status).end(JSON.stringify({ ...JSON.parse(body), ...fields }))

test.each<[string, boolean, Lie]>([
  ['name another network', true, change({ network: 'another' })],
  ['give a nonce that is none', false, change({ nonce: `${'0'.repeat(31)}\nPurpose: everything` })],
  ['never give a nonce', false, () => undefined],
  [
    'give a nonce and never a session',
    false,
    (request, { status, body }, response) => {
      if (request.url?.includes('/nonce/')) response.writeHead(status).end(body)
    },
  ],
])('users can sign in although two nodes %s', async (_what, hasPart, lie) => {
  await using first = await startLiar(nodes.url(1), lie)
  await using second = await startLiar(nodes.url(3), lie)
  const plain = withNodes(createClient({ network: nodes.profile }), { 1: first.url, 3: second.url })
  const privateKey = generatePrivateKey()
  const keySession = await openKeySession(plain, { privateKey })
  expect(keySession.nodes.map((part) => part !== null)).toEqual([hasPart, true, hasPart, true, true])
  expect(keySession.failures?.map(({ node }) => node)).toEqual(hasPart ? undefined : [1, 3])
  const file = `bafkrei${'a'.repeat(51)}q`
  await expect(getKey({ ...plain, keySession }, file)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })
})
