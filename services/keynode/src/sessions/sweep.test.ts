import { createSessionKey, proofHeader, signMessage, signRequest } from '@cairn/crypto'
import { clockSkewMs, keySaveLifetimeMs } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { createTestWallet, createText, openTestSession, openWith, startTestNode } from '../test-node.fixture.ts'
import { sweepSessions } from './sweep.ts'

const second = 1000

// Replicas of a node share their rows, not their clocks, and a clock may be set back.
test('a spent text does not become valid again for a replica whose clock is behind', async () => {
  await using node = await startTestNode()
  const wallet = createTestWallet()
  const texts = [
    await createText(node, wallet),
    await createText(node, wallet, { id: crypto.randomUUID() }, createSessionKey()),
  ]
  for (const text of texts) expect((await openWith(node, wallet, [text])).status).toBe(200)
  // One clock is a minute ahead, the other a minute behind.
  node.pass(600 * second - 1 + 2 * clockSkewMs)
  await sweepSessions(node.context)
  node.pass(-2 * clockSkewMs)
  for (const text of texts) expect((await openWith(node, wallet, [text])).code).toBe('CHALLENGE_EXPIRED')
})

test('a spent proof does not become valid again for one either', async () => {
  await using node = await startTestNode()
  const session = await openTestSession(node)
  const path = '/api/keys/list/1?role=owner'
  const request = { method: 'GET', path, node: 1, body: '', token: session.token }
  const proof = signRequest(request, session.sessionKey.secretKey, node.now())
  const show = () => node.call('GET', path, { token: session.token, headers: { [proofHeader]: proof } })
  expect((await show()).status).toBe(200)
  node.pass(3 * clockSkewMs)
  await sweepSessions(node.context)
  node.pass(-2 * clockSkewMs)
  expect((await show()).code).toBe('INVALID_SIGNATURE')
})

test('removes rows that have expired by every clock', async () => {
  await using node = await startTestNode()
  const session = await openTestSession(node)
  const request = {
    method: 'GET',
    path: '/api/keys/list/1?role=owner',
    token: session.token,
    sessionKey: session.sessionKey,
  }
  expect((await node.call(request.method, request.path, request)).status).toBe(200)
  const wallet = createTestWallet()
  const { json } = await node.call('GET', `/api/message/${wallet.address}`)
  const [{ message }] = json as [{ message: string }]
  const body = { address: wallet.address, cid: 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy' }
  const token = signMessage(wallet.privateKey, message)
  expect((await node.call('POST', '/api/retrieveSharedKey/1', { token, body })).code).toBe('KEY_NOT_FOUND')
  const rows = async () => {
    const counted = await Promise.all(
      (['spent_challenge', 'seen_proof', 'bearer_use', 'session'] as const).map((table) =>
        node.context.db.read
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as('rows'))
          .executeTakeFirst(),
      ),
    )
    return counted.map((row) => Number(row?.rows))
  }
  expect(await rows()).toEqual([2, 1, 1, 1])
  node.pass(keySaveLifetimeMs + 2 * clockSkewMs + 1)
  await sweepSessions(node.context)
  expect(await rows()).toEqual([0, 0, 0, 1])
})
