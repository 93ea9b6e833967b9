import { createSessionKey, parseSignIn, proofHeader, signMessage, signRequest, writeSignIn } from '@cairn/crypto'
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
  type TestSession,
} from '../test-node.fixture.ts'
import { writeRefreshToken } from './refresh-token.ts'
import { renewNodeSession } from './renew-session.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const path = '/api/retrieveSharedKey/1'
const minute = 60_000
const orderOfSecp256k1 = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describeOnDatabases('on %s', (prepare) => {
  describe('sessions', () => {
    let environment: Record<string, string>
    let node: TestNode
    beforeAll(async () => {
      environment = await prepare()
      node = await startTestNode(environment)
    })
    afterAll(() => node?.[Symbol.asyncDispose]())

    describe('a signed text', () => {
      test('opens one session for the first caller; the same text opens no other, also after a restart', async () => {
        const wallet = createTestWallet()
        const text = await createText(node, wallet)
        const answers = await Promise.all(Array.from({ length: 8 }, () => openWith(node, wallet, [text])))
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
        expect(answers.filter(({ code }) => code === 'CHALLENGE_EXPIRED')).toHaveLength(7)
        const home = node.home
        await node.stop()
        node = await startTestNode(environment, { home, time: { ms: node.now() } })
        expect((await openWith(node, wallet, [text])).status).toBe(401)
      })

      test.each([
        ['another domain', { domain: 'evil.test' }],
        ['another network', { network: 'other' }],
        ['a time to come', { issuedAt: Date.now() + 10 * minute, expiresAt: Date.now() + 20 * minute }],
        ['a longer life than allowed', { expiresAt: Date.now() + 10 * 3600_000 }],
      ])('for %s is rejected', async (_what, request) => {
        const wallet = createTestWallet()
        const text = await createText(node, wallet, request)
        const answer = await openWith(node, wallet, [text])
        expect([answer.status, answer.json]).toEqual([401, expect.objectContaining({ message: 'Invalid Signature' })])
      })

      test('of another wallet, with another nonce, changed, or signed by the twin, is rejected', async () => {
        const wallet = createTestWallet()
        const other = createTestWallet()
        const text = await createText(node, wallet)
        expect((await openWith(node, { ...other, address: wallet.address }, [text])).code).toBe('INVALID_SIGNATURE')
        const foreign = text.replace(/Nonce: [0-9a-f]{32}/, `Nonce: ${'a'.repeat(32)}`)
        expect((await openWith(node, wallet, [foreign])).code).toBe('INVALID_SIGNATURE')
        expect((await openWith(node, wallet, [`${text} `])).code).toBe('INVALID_SIGNATURE')
        const signature = signMessage(wallet.privateKey, text)
        const s = orderOfSecp256k1 - BigInt(`0x${signature.slice(66, 130)}`)
        const twin =
          `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${signature.endsWith('1b') ? '1c' : '1b'}` as const
        expect((await openWith(node, wallet, [text], twin)).code).toBe('INVALID_SIGNATURE')
        // None of these attempts spent the text.
        expect((await openWith(node, wallet, [text])).status).toBe(200)
      })

      test('that names only storage, or other nodes, opens nothing here', async () => {
        const wallet = createTestWallet()
        const sessionKey = createSessionKey()
        const text = await createText(node, wallet, {}, sessionKey)
        const signIn = parseSignIn(text)
        if (signIn === undefined) throw new Error('no sign-in')
        const none = [undefined, undefined, undefined, undefined, undefined]
        for (const nonces of [none, [undefined, ...none.slice(1).map(() => 'a'.repeat(32))]]) {
          const other = writeSignIn({ ...signIn, nonces, storageNonce: 'a'.repeat(32) })
          expect((await openWith(node, wallet, [other])).code).toBe('INVALID_SIGNATURE')
        }
        // A storage grant in the same text is irrelevant to this node.
        const both = writeSignIn({ ...signIn, storageNonce: 'a'.repeat(32) })
        expect((await openWith(node, wallet, [both])).status).toBe(200)
      })

      test('for a host that the operator did not configure gets no nonce', async () => {
        const { address } = createTestWallet()
        const subject = { id: crypto.randomUUID(), address, issuedAt: node.now(), expiresAt: node.now() + minute }
        const ask = (domain: string) => node.call('POST', '/api/keys/nonce/1', { body: { ...subject, domain } })
        expect((await ask('keys.test')).status).toBe(200)
        expect((await ask('evil.test')).code).toBe('INVALID_REQUEST')
      })

      test('cannot be spent by a caller that only knows its id', async () => {
        const wallet = createTestWallet()
        const id = crypto.randomUUID()
        const text = await createText(node, wallet, { id })
        const thief = createTestWallet()
        expect((await openWith(node, thief, [await createText(node, thief, { id })])).status).toBe(200)
        expect((await openWith(node, wallet, [text])).status).toBe(200)
        expect((await openWith(node, wallet, [text])).code).toBe('CHALLENGE_EXPIRED')
      })

      test('expires', async () => {
        const wallet = createTestWallet()
        const text = await createText(node, wallet)
        node.pass(11 * minute)
        expect((await openWith(node, wallet, [text])).code).toBe('CHALLENGE_EXPIRED')
      })

      test('of a clock that was ahead is not valid before its time', async () => {
        const wallet = createTestWallet()
        const text = await createText(node, wallet)
        node.pass(-2 * minute)
        const early = await openWith(node, wallet, [text])
        node.pass(2 * minute)
        expect(early.code).toBe('INVALID_SIGNATURE')
        expect((await openWith(node, wallet, [text])).status).toBe(200)
      })

      test('of the account calls opens nothing here', async () => {
        const wallet = createTestWallet()
        const text = `Please prove you are the owner of this account: ${wallet.address}\n\nPurpose: api-key`
        expect((await openWith(node, wallet, [text])).code).toBe('INVALID_SIGNATURE')
        const answer = await node.call('POST', path, {
          token: 'cairn_abc12345_secret',
          body: { address: wallet.address, cid },
        })
        expect(answer.code).toBe('INVALID_SIGNATURE')
      })
    })

    describe('a session bound to a key', () => {
      test('requires a proof for each request, valid once, here, now, for this exact request', async () => {
        const session = await openTestSession(node)
        const body = { address: session.address, cid }
        expect((await callAs(node, session, 'POST', path, { cid })).code).toBe('KEY_NOT_FOUND')
        expect((await node.call('POST', path, { token: session.token, body })).code).toBe('INVALID_SIGNATURE')
        const request = { method: 'POST', path, node: 1, body: JSON.stringify(body), token: session.token }
        const send = (proof: string, sent: object = body) =>
          node.call('POST', path, { token: session.token, body: sent, headers: { [proofHeader]: proof } })
        const proof = signRequest(request, session.sessionKey.secretKey, node.now())
        expect((await send(proof)).code).toBe('KEY_NOT_FOUND')
        expect((await send(proof)).code, 'a second time').toBe('INVALID_SIGNATURE')
        const key = session.sessionKey.secretKey
        for (const [what, bad] of [
          ['another node', signRequest({ ...request, node: 2 }, key, node.now())],
          ['another path', signRequest({ ...request, path: '/api/setSharedKey/1' }, key, node.now())],
          ['another body', signRequest({ ...request, body: '{}' }, key, node.now())],
          ['another token', signRequest({ ...request, token: 'x' }, key, node.now())],
          ['another key', signRequest(request, createSessionKey().secretKey, node.now())],
          ['two minutes ago', signRequest(request, key, node.now() - 2 * minute)],
          ['in two minutes', signRequest(request, key, node.now() + 2 * minute)],
        ] as const) {
          expect((await send(bad)).code, what).toBe('INVALID_SIGNATURE')
        }
      })

      test('a proof of a change is valid once, whether the change succeeds or not, also after a restart', async () => {
        const [owner, stranger] = [await openTestSession(node), await openTestSession(node)]
        const sends = (session: TestSession, method: string, sent: object, to = '/api/setSharedKey/1') => {
          const body = { address: session.address, ...sent }
          const { token, sessionKey } = session
          const request = { method, path: to, node: 1, body: JSON.stringify(body), token }
          const headers = { [proofHeader]: signRequest(request, sessionKey.secretKey, node.now()) }
          return () => node.call(method, to, { token, body, headers })
        }
        const file = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
        const save = sends(owner, 'POST', { cid: file, payload: { key: '1', index: '1' } })
        const saved = await Promise.all(Array.from({ length: 4 }, save))
        expect(saved.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
        const shareTo = [stranger.address]
        const share = sends(owner, 'PUT', { cid: file, shareTo })
        const set = { id: 'a'.repeat(64), commitments: Array.from({ length: 5 }, () => 'b'.repeat(64)), threshold: 3 }
        for (const [expected, send] of [
          [null, share],
          ['ACCESS_DENIED', sends(stranger, 'PUT', { cid: file, shareTo })],
          ['KEY_NOT_FOUND', sends(owner, 'PUT', { cid, shareTo })],
          ['SHARD_MISMATCH', sends(owner, 'POST', { cid, set, payload: { key: '1', index: '1' } })],
          ['WRONG_NODE', sends(owner, 'PUT', { cid: file, shareTo }, '/api/setSharedKey/2')],
        ] as const) {
          expect([(await send()).code, (await send()).code]).toEqual([expected, 'INVALID_SIGNATURE'])
        }
        const { home } = node
        const time = { ms: node.now() }
        await node.stop()
        node = await startTestNode(environment, { home, time })
        expect((await share()).code).toBe('INVALID_SIGNATURE')
        const status = await callAs(node, owner, 'GET', `/api/keys/status/1/${file}`)
        expect(status.json).toMatchObject({ version: 2, sharedTo: shareTo })
      })

      test('rejects another address in the body before any lookup', async () => {
        const session = await openTestSession(node)
        const { token, sessionKey } = session
        const body = { address: createTestWallet().address, cid }
        expect((await node.call('POST', path, { token, sessionKey, body })).code).toBe('INVALID_SIGNATURE')
      })

      test('expires after a quarter of an hour, is renewed once per token, and ends if an old token is used', async () => {
        const session = await openTestSession(node)
        const renew = (refreshToken: string) =>
          node.call('PUT', '/api/keys/session/1', {
            body: { address: session.address, refreshToken },
            token: refreshToken.split('.')[1] ?? '',
            sessionKey: session.sessionKey,
          })
        node.pass(16 * minute)
        expect((await callAs(node, session, 'POST', path, { cid })).code).toBe('SESSION_EXPIRED')
        const first = await renew(session.refreshToken)
        expect(first.status).toBe(200)
        // Its response was lost, or another process has the session, too: the same token is returned, even hours later.
        node.pass(180 * minute)
        expect(((await renew(session.refreshToken)).json as { refreshToken: string }).refreshToken).toBe(
          (first.json as { refreshToken: string }).refreshToken,
        )
        const second = await renew((first.json as { refreshToken: string }).refreshToken)
        expect(second.status).toBe(200)
        const { token, refreshToken } = second.json as { token: string; refreshToken: string }
        expect((await callAs(node, { ...session, token }, 'POST', path, { cid })).code).toBe('KEY_NOT_FOUND')
        node.pass(2 * minute)
        expect((await renew(session.refreshToken)).code, 'a stolen token').toBe('SESSION_EXPIRED')
        expect((await renew(refreshToken)).code, 'the family is over').toBe('SESSION_EXPIRED')
        expect((await callAs(node, { ...session, token }, 'POST', path, { cid })).code).toBe('SESSION_EXPIRED')
      })

      test('ends a month after its text was signed, however often it is renewed', async () => {
        const session = await openTestSession(node)
        const day = 24 * 60 * minute
        const end = node.now() + 30 * day
        let { refreshToken } = session
        const last: number[] = []
        for (let days = 0; days <= 30; days += 6) {
          const answer = await node.call('PUT', '/api/keys/session/1', {
            body: { address: session.address, refreshToken },
            token: refreshToken.split('.')[1] ?? '',
            sessionKey: session.sessionKey,
          })
          const renewed = answer.json as { refreshToken: string; expiresAt: number; refreshExpiresAt: number }
          expect(answer.status, `after ${days} days`).toBe(200)
          refreshToken = renewed.refreshToken
          last.splice(0, 2, renewed.expiresAt, renewed.refreshExpiresAt)
          if (days < 30) node.pass(6 * day)
        }
        expect(last).toEqual([end, end])
        node.pass(1)
        const body = { address: session.address, refreshToken }
        const options = { body, token: refreshToken.split('.')[1] ?? '', sessionKey: session.sessionKey }
        expect((await node.call('PUT', '/api/keys/session/1', options)).code).toBe('SESSION_EXPIRED')
      })

      test('without a key is ended by a renewal that is repeated after a minute', async () => {
        const wallet = createTestWallet()
        const opened = await openWith(node, wallet, [await createText(node, wallet)])
        const { refreshToken } = opened.json as { refreshToken: string }
        const renew = (address = wallet.address) =>
          renewNodeSession(node.context, {
            address,
            refreshToken,
            proof: undefined,
            request: { method: 'PUT', path: '/', body: '' },
          })
        await expect(renew(createTestWallet().address)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
        const renewed = await renew()
        node.pass(minute)
        expect((await renew()).refreshToken).toBe(renewed.refreshToken)
        node.pass(1)
        await expect(renew()).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
      })

      test('is ended by any earlier refresh token', async () => {
        const wallet = createTestWallet()
        const opened = await openWith(node, wallet, [await createText(node, wallet)])
        const { refreshToken: first } = opened.json as { refreshToken: string }
        const renew = (refreshToken: string) =>
          renewNodeSession(node.context, {
            address: wallet.address,
            refreshToken,
            proof: undefined,
            request: { method: 'PUT', path: '/', body: '' },
          })
        let newest = first
        for (let turn = 0; turn < 3; turn++) newest = (await renew(newest)).refreshToken
        // A thousand renewals later.
        const [sessionId = ''] = first.split('.')
        const later = { sessionId, turn: 1_003 }
        await node.context.db.write((trx) =>
          trx.updateTable('session').set({ turn: later.turn }).where('id', '=', sessionId).execute(),
        )
        newest = (await renew(writeRefreshToken(node.context, later))).refreshToken
        node.pass(2 * minute)
        await expect(renew(first)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
        await expect(renew(newest), 'the family is over').rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
      })

      test('is reported as expired, and does not end, if its database was restored to a state before its renewal', async () => {
        const session = await openTestSession(node)
        const renew = (refreshToken: string) =>
          node.call('PUT', '/api/keys/session/1', {
            body: { address: session.address, refreshToken },
            token: refreshToken.split('.')[1] ?? '',
            sessionKey: session.sessionKey,
          })
        const { refreshToken } = (await renew(session.refreshToken)).json as { refreshToken: string }
        const [id = ''] = refreshToken.split('.')
        await node.context.db.write((trx) => trx.updateTable('session').set({ turn: 0 }).where('id', '=', id).execute())
        expect((await renew(refreshToken)).code).toBe('SESSION_EXPIRED')
        expect((await renew(session.refreshToken)).status).toBe(200)
        expect((await callAs(node, session, 'POST', path, { cid })).code).toBe('KEY_NOT_FOUND')
        // Or to a state before it was opened.
        await node.context.db.write((trx) => trx.deleteFrom('session').where('id', '=', id).execute())
        expect((await callAs(node, session, 'POST', path, { cid })).code).toBe('SESSION_EXPIRED')
        expect((await renew(refreshToken)).code).toBe('SESSION_EXPIRED')
      })

      test('is neither renewed nor ended by a token that this node never wrote', async () => {
        const session = await openTestSession(node)
        const [id, secret = ''] = session.refreshToken.split('.')
        const [, mac] = secret.split(/-(.*)/s)
        // A text in the form of a token may predate the current secret of the node.
        for (const [bad, code] of [
          [`${id}.1-${mac}`, 'SESSION_EXPIRED'],
          [`${id}.0-${'A'.repeat(43)}`, 'SESSION_EXPIRED'],
          [`${crypto.randomUUID()}.0-${mac}`, 'SESSION_EXPIRED'],
          [`${id}.00-${mac}`, 'INVALID_SIGNATURE'],
          [`${id}.${mac}`, 'INVALID_SIGNATURE'],
          [`${id}.`, 'INVALID_SIGNATURE'],
        ] as const) {
          const body = { address: session.address, refreshToken: bad }
          const token = bad.split('.')[1] ?? ''
          const { sessionKey } = session
          expect((await node.call('PUT', '/api/keys/session/1', { body, token, sessionKey })).code, bad).toBe(code)
        }
        expect((await callAs(node, session, 'POST', path, { cid })).code).toBe('KEY_NOT_FOUND')
      })

      test('is not renewed without its key, and ends when it is closed', async () => {
        const session = await openTestSession(node)
        const body = { address: session.address, refreshToken: session.refreshToken }
        expect((await node.call('PUT', '/api/keys/session/1', { body })).code).toBe('INVALID_SIGNATURE')
        expect((await callAs(node, session, 'DELETE', '/api/keys/session/1')).status).toBe(200)
        expect((await callAs(node, session, 'POST', path, { cid })).code).toBe('SESSION_EXPIRED')
      })
    })

    test('a node with a new secret reports earlier sessions as expired, and a wrong clock as an invalid signature', async () => {
      const session = await openTestSession(node)
      await using renewed = await startTestNode({ CAIRN_KEYNODE_SECRET: '33'.repeat(32) }, { time: { ms: node.now() } })
      const { address, sessionKey, refreshToken, token } = session
      expect((await callAs(renewed, session, 'POST', path, { cid })).code).toBe('SESSION_EXPIRED')
      const renewal = { body: { address, refreshToken }, token: refreshToken.split('.')[1] ?? '', sessionKey }
      expect((await renewed.call('PUT', '/api/keys/session/1', renewal)).code).toBe('SESSION_EXPIRED')
      // A wrong clock is no reason to sign in again: the node knows the session, so it rejects only the proof.
      const known = await openTestSession(renewed)
      const body = JSON.stringify({ address: known.address, cid })
      const request = { method: 'POST', path, node: 1, body, token: known.token }
      const late = signRequest(request, known.sessionKey.secretKey, renewed.now() - 2 * minute)
      const sent = { token: known.token, body: { address: known.address, cid }, headers: { [proofHeader]: late } }
      expect(await renewed.call('POST', path, sent)).toMatchObject({
        code: 'INVALID_SIGNATURE',
        json: { details: { time: renewed.now() }, hint: expect.stringMatching(/^The clock of key node 1 shows 20/) },
      })
      const forged = `${token.split('.').slice(0, 1)}.e30.${token.split('.')[2]}`
      expect((await renewed.call('POST', path, { token: forged, body: { address, cid } })).code).toBe(
        'INVALID_SIGNATURE',
      )
    })

    test('a token of one node is invalid at another, and each node answers only for its own number', async () => {
      await using other = await startTestNode({ CAIRN_KEYNODE_NUMBER: '2', CAIRN_KEYNODE_SECRET: '22'.repeat(32) })
      const session = await openTestSession(node)
      const answer = await callAs(other, session, 'POST', '/api/retrieveSharedKey/2', { cid })
      expect(answer.code).toBe('INVALID_SIGNATURE')
      const mine = await openTestSession(other)
      expect((await callAs(other, mine, 'POST', '/api/retrieveSharedKey/1', { cid })).code).toBe('WRONG_NODE')
    })

    test('the log contains no secret', async () => {
      const session = await openTestSession(node)
      await callAs(node, session, 'POST', path, { cid })
      const log = node.lines.join('')
      expect(log.length).toBeGreaterThan(1000)
      for (const secret of [session.token, session.refreshToken, session.sessionKey.secretKey, '11'.repeat(32)])
        expect(log.includes(secret.slice(-40))).toBe(false)
    })

    test('a folder rejects another secret, number or network', async () => {
      const home = node.home
      await node.stop()
      const time = { ms: node.now() }
      for (const wrong of [
        { CAIRN_KEYNODE_SECRET: '33'.repeat(32) },
        { CAIRN_KEYNODE_NUMBER: '3' },
        { CAIRN_NETWORK_NAME: 'other' },
      ]) {
        await expect(startTestNode({ ...environment, ...wrong }, { home, time })).rejects.toMatchObject({
          code: 'INVALID_CONFIGURATION',
        })
      }
      node = await startTestNode(environment, { home, time })
    })
  })
})
