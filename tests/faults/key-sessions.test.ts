// Sessions with key nodes that come and go: what is left of them, and that nothing of it is forgotten.
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

test('a session that is closed while nodes are away stays closable there, and is good for nothing else', async () => {
  const client = await nodes.client()
  await saveKey(client, cid, prepareKey())
  const session = sessionOf(client)
  // As a file would keep it: somebody who stole it.
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
  expect(await closeKeySession(client, stolen), 'closed is closed').toEqual({ closed: [1, 2, 3, 4, 5], open: [] })
})

test('one whose tokens have to be renewed for it is closed too, and nobody is told to keep it', async () => {
  const client = await nodes.client()
  const session = sessionOf(client)
  for (const part of session.nodes) if (part !== null) part.expiresAt = 0
  const told: unknown[] = []
  const result = await closeKeySession({ ...client, onKeySession: (one) => told.push(one) }, session)
  expect(result).toEqual({ closed: [1, 2, 3, 4, 5], open: [] })
  expect(told).toEqual([])
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
])('two nodes that %s keep nobody from signing in', async (_what, hasPart, lie) => {
  await using first = await startLiar(nodes.url(1), lie)
  await using second = await startLiar(nodes.url(3), lie)
  const plain = withNodes(createClient({ network: nodes.profile }), { 1: first.url, 3: second.url })
  const privateKey = generatePrivateKey()
  const keySession = await openKeySession(plain, { privateKey })
  expect(keySession.nodes.map((part) => part !== null)).toEqual([hasPart, true, hasPart, true, true])
  expect(keySession.faults?.map(({ node }) => node)).toEqual(hasPart ? undefined : [1, 3])
  const file = `bafkrei${'a'.repeat(51)}q`
  await expect(getKey({ ...plain, keySession }, file)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })
})
