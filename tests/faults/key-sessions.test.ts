// Sessions with key nodes that come and go: what remains of them, and that no state is lost.
import { rm } from 'node:fs/promises'
import {
  type Client,
  closeKeySession,
  createClient,
  getKey,
  getKeyStatus,
  openKeySession,
  prepareKey,
  saveKey,
} from '@cairn/sdk'
import { generatePrivateKey } from 'viem/accounts'
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
  // The state a file would keep, in the hands of a thief.
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

test('a session whose tokens must be renewed first is closed too, and callers do not keep it', async () => {
  const client = await nodes.client()
  const session = sessionOf(client)
  for (const part of session.nodes) if (part !== null) part.expiresAt = 0
  const notified: unknown[] = []
  const result = await closeKeySession({ ...client, onKeySession: (one) => notified.push(one) }, session)
  expect(result).toEqual({ closed: [1, 2, 3, 4, 5], open: [] })
  expect(notified).toEqual([])
})

test('a session that nodes lost is dropped; one that ended early by the clock of a node is renewed', async () => {
  const client = await nodes.client()
  const session = sessionOf(client)
  const file = `bafkrei${'b'.repeat(51)}q`
  const notified: unknown[] = []
  const keeping: Client = { ...client, onKeySession: (one) => notified.push(structuredClone(one)) }
  const early = session.nodes[0]
  if (early == null) throw new Error('node 1 has a part')
  // The node's word: the token is over, the session is not.
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
  // Users sign in again: to try later would not help.
  await expect(getKey(keeping, file)).rejects.toMatchObject({ code: 'NO_SESSION' })
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
])('users sign in although two nodes %s', async (_what, hasPart, lie) => {
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
