import { createSessionKey, signMessage } from '@cairn/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import {
  callAs,
  createTestWallet,
  createText,
  openTestSession,
  openWith,
  startTestNode,
  type TestNode,
} from '../test-node.fixture.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const path = '/api/retrieveSharedKey/1'
const minute = 60_000

describeOnDatabases('on %s', (prepare) => {
  describe('bearers', () => {
    let node: TestNode
    beforeAll(async () => {
      node = await startTestNode(await prepare())
    })
    afterAll(() => node?.[Symbol.asyncDispose]())

    describe('a signature for a bearer', () => {
      const own = async (wallet = createTestWallet()) => {
        const { json } = await node.call('GET', `/api/message/${wallet.address}`)
        const [{ message }] = json as [{ message: string }]
        return { wallet, message, signature: signMessage(wallet.privateKey, message) }
      }

      test('is valid for one request and its repetition', async () => {
        const { wallet, message, signature } = await own()
        const body = { address: wallet.address, cid }
        expect((await node.call('POST', path, { token: signature, body })).code).toBe('KEY_NOT_FOUND')
        expect((await node.call('POST', path, { token: signature, body })).code).toBe('KEY_NOT_FOUND')
        const other = { ...body, dynamicData: { '1.a': 1 } }
        expect((await node.call('POST', path, { token: signature, body: other })).code).toBe('INVALID_SIGNATURE')
        node.pass(2 * minute)
        const header = { 'x-auth-message': Buffer.from(message).toString('base64url') }
        for (const headers of [{}, header])
          expect((await node.call('POST', path, { token: signature, body, headers })).code).toBe('INVALID_SIGNATURE')
      })

      test('is not one of a sign-in, which needs its session key', async () => {
        const wallet = createTestWallet()
        const text = await createText(node, wallet, {}, createSessionKey())
        const token = signMessage(wallet.privateKey, text)
        const headers = { 'x-auth-message': Buffer.from(text).toString('base64url') }
        const body = { address: wallet.address, cid }
        expect((await node.call('POST', path, { token, body, headers })).code).toBe('INVALID_SIGNATURE')
        expect((await openWith(node, wallet, [text])).status).toBe(200)
      })

      test('stays valid if others request messages for the same address', async () => {
        const { wallet, signature } = await own()
        const stranger = await Promise.all(
          Array.from({ length: 40 }, () => node.call('GET', `/api/message/${wallet.address}`)),
        )
        expect(stranger.map(({ status }) => status)).toEqual(stranger.map(() => 200))
        const body = { address: wallet.address, cid }
        expect((await node.call('POST', path, { token: signature, body })).code).toBe('KEY_NOT_FOUND')
      })

      test('is valid for a quarter of an hour, and longer only for saving', async () => {
        const saved = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
        const old = await own()
        const young = await own()
        const save = await own()
        node.pass(14 * minute)
        const { address } = young.wallet
        expect((await node.call('POST', path, { token: young.signature, body: { address, cid } })).code).toBe(
          'KEY_NOT_FOUND',
        )
        node.pass(2 * minute)
        const late = { token: old.signature, body: { address: old.wallet.address, cid } }
        const header = { 'x-auth-message': Buffer.from(old.message).toString('base64url') }
        for (const headers of [{}, header]) {
          const answer = await node.call('POST', path, { ...late, headers })
          expect([answer.status, answer.code]).toEqual([401, 'INVALID_SIGNATURE'])
        }
        node.pass(110 * minute)
        const body = { address: save.wallet.address, cid: saved, payload: { key: '1', index: '1' } }
        expect((await node.call('POST', '/api/setSharedKey/1', { token: save.signature, body })).status).toBe(200)
      })

      test('that is older opens a session for saving, which is valid for nothing else, renewed or not', async () => {
        const { wallet, message, signature } = await own()
        node.pass(20 * minute)
        const body = { address: wallet.address, messages: [message], signature }
        expect((await node.call('POST', '/api/keys/session/1', { body })).code).toBe('CHALLENGE_EXPIRED')
        const opened = await node.call('POST', '/api/keys/session/1', { body: { ...body, use: 'save' } })
        expect(opened.status).toBe(200)
        const { refreshToken } = opened.json as { refreshToken: string }
        const renewed = await node.call('PUT', '/api/keys/session/1', {
          body: { address: wallet.address, refreshToken },
        })
        expect(renewed.status).toBe(200)
        const own1 = { address: wallet.address, cid: 'bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4' }
        for (const { json } of [opened, renewed]) {
          const { token } = json as { token: string }
          const shard = { ...own1, payload: { key: '1', index: '1' } }
          expect((await node.call('POST', '/api/setSharedKey/1', { token, body: shard })).status).toBe(200)
          expect((await node.call('POST', path, { token, body: own1 })).code).toBe('INVALID_SIGNATURE')
          expect((await node.call('PUT', '/api/setSharedKey/1', { token, body: { ...own1, shareTo: [] } })).code).toBe(
            'INVALID_SIGNATURE',
          )
          const asked = await node.call('GET', `/api/fileAccessConditions/get/${own1.cid}`, { token })
          expect(asked.code).toBe('INVALID_SIGNATURE')
        }
      })

      test('cannot be exchanged for a session as well', async () => {
        const { wallet, signature, message } = await own()
        await node.call('POST', path, { token: signature, body: { address: wallet.address, cid } })
        expect((await openWith(node, wallet, [message], signature)).code).toBe('CHALLENGE_EXPIRED')
      })

      test('and bundles of tokens are rejected if the operator allows sessions only', async () => {
        await using strict = await startTestNode({ CAIRN_KEYNODE_LEGACY_BEARER: 'off' })
        const wallet = createTestWallet()
        const text = await createText(strict, wallet)
        expect((await openWith(strict, wallet, [text])).code).toBe('INVALID_SIGNATURE')
        const session = await openTestSession(strict)
        expect((await callAs(strict, session, 'POST', path, { cid })).code).toBe('KEY_NOT_FOUND')
        const bundle = `jwt:${Buffer.from(JSON.stringify({ 1: session.token })).toString('base64url')}`
        expect((await strict.call('POST', path, { token: bundle, body: { address: session.address, cid } })).code).toBe(
          'INVALID_SIGNATURE',
        )
      })

      test('opens a session that ends when the operator allows only sessions with a key', async () => {
        const before = await startTestNode()
        const wallet = createTestWallet()
        const opened = await openWith(before, wallet, [await createText(before, wallet)])
        const { token } = opened.json as { token: string }
        const body = { address: wallet.address, cid }
        expect((await before.call('POST', path, { token, body })).code).toBe('KEY_NOT_FOUND')
        await before.stop()
        const place = { home: before.home, time: { ms: before.now() } }
        await using strict = await startTestNode({ CAIRN_KEYNODE_LEGACY_BEARER: 'off' }, place)
        expect((await strict.call('POST', path, { token, body })).code).toBe('INVALID_SIGNATURE')
      })
    })
  })
})
