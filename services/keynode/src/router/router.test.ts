import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { parseChallenge, signMessage } from '@cairn/crypto'
import { keySaveLifetimeMs } from '@cairn/protocol'
import { contractChecksPerMinute } from '@cairn/service'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signaturesPerMinute } from '../sessions/signature-rate.ts'
import { createTestWallet } from '../test-node.fixture.ts'
import { bundleTokens, openBundle } from './bundle.ts'
import { readKeyRouterConfig } from './config.ts'
import { type PlaceAnswer, type RouterBefore, startRouterBefore } from './router.fixture.ts'
import { startRouter } from './start-router.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
let before: RouterBefore
let { seen, answers, lines }: Pick<RouterBefore, 'seen' | 'answers' | 'lines'> = { seen: [], answers: [], lines: [] }
beforeAll(async () => {
  before = await startRouterBefore()
  ;({ seen, answers, lines } = before)
})
afterAll(() => before?.[Symbol.asyncDispose]())

const call: RouterBefore['call'] = (...request) => before.call(...request)

async function signIn() {
  const wallet = createTestWallet()
  const { json } = await call('GET', `/api/message/${wallet.address}`)
  const signature = signMessage(wallet.privateKey, json[0].message)
  return { wallet, signature, body: { address: wallet.address, cid } }
}

test('issues a message for a valid address, and rejects others in the words that published clients expect', async () => {
  for (const bad of ['0xEaF4E24ffC1A2f53c07839a74966A6611b8Cb8A', 'alice', `0x${'0'.repeat(40)}`]) {
    const { status, code, json } = await call('GET', `/api/message/${bad}`)
    expect([status, code, json.message]).toEqual([400, 'INVALID_ADDRESS', 'Invalid address'])
  }
})

describe('tokens', () => {
  test('unpack to their bundled content, and no other text is a bundle', () => {
    const tokens = ['a', undefined, 'c', 'd', 'e']
    expect(openBundle('jwt:', bundleTokens('jwt:', tokens))).toEqual(tokens)
    for (const bad of [
      '',
      'jwt:',
      'jwt:!',
      'r:e30',
      `jwt:${Buffer.from('{"6":"x"}').toString('base64url')}`,
      `jwt:${Buffer.from('[]').toString('base64url')}`,
    ])
      expect(openBundle('jwt:', bad)).toBeUndefined()
  })

  test('each node sees only its own tokens of a bundle', async () => {
    const bundle = bundleTokens(
      'jwt:',
      [1, 2, 3, 4, 5].map((number) => `aa.bb.mine${number}`),
    )
    for (const number of [1, 2, 3, 4, 5]) {
      const before = seen[number - 1]?.length ?? 0
      await call('POST', `/api/retrieveSharedKey/${number}`, bundle, { address: createTestWallet().address, cid })
      const got = JSON.stringify(seen[number - 1]?.slice(before))
      expect(got).toContain(`mine${number}`)
      for (const other of [1, 2, 3, 4, 5].filter((one) => one !== number)) expect(got).not.toContain(`mine${other}`)
    }
  })
})

describe('a signature', () => {
  test('is sent to nodes once, for tokens, and never as a bearer', async () => {
    const { signature, body } = await signIn()
    for (const list of seen) list.length = 0
    const answer = await Promise.all(
      [1, 2, 3, 4, 5].map((number) =>
        call('POST', `/api/setSharedKey/${number}`, signature, {
          ...body,
          payload: { key: 'k', index: String(number) },
        }),
      ),
    )
    expect(answer.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    for (const [i, list] of seen.entries()) {
      expect(list.filter(({ path }) => path.startsWith('/api/keys/session/'))).toHaveLength(1)
      const saved = list.filter(({ path }) => path.startsWith('/api/setSharedKey/'))
      expect(saved.map(({ authorization }) => authorization)).toEqual([`Bearer aa.bb.token${i + 1}`])
    }
  })

  test('is valid for one operation, and rejected for another call, file, or body at the same node', async () => {
    const { signature, body } = await signIn()
    expect((await call('POST', '/api/retrieveSharedKey/2', signature, body)).status).toBe(200)
    expect((await call('POST', '/api/retrieveSharedKey/2', signature, body)).status).toBe(200)
    expect(
      (await call('POST', '/api/retrieveSharedKey/4', signature.toUpperCase().replace('0X', '0x'), body)).status,
    ).toBe(200)
    const other = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
    expect((await call('POST', '/api/retrieveSharedKey/3', signature, { ...body, cid: other })).code).toBe(
      'INVALID_SIGNATURE',
    )
    expect((await call('PUT', '/api/setSharedKey/3', signature, { ...body, shareTo: [body.address] })).code).toBe(
      'INVALID_SIGNATURE',
    )
    expect((await call('POST', '/api/retrieveSharedKey/2', signature, { ...body, dynamicData: { a: 1 } })).code).toBe(
      'INVALID_SIGNATURE',
    )
  })

  test('stays valid if others request messages for the same address, and nodes receive only the signed text', async () => {
    const { wallet, signature, body } = await signIn()
    for (let turn = 0; turn < 40; turn++) await call('GET', `/api/message/${wallet.address}`)
    for (const list of seen) list.length = 0
    expect((await call('POST', '/api/retrieveSharedKey/2', signature, body)).status).toBe(200)
    const shown = seen.flat().filter(({ path }) => path.startsWith('/api/keys/session/'))
    expect(shown.map((one) => JSON.parse(one.body).messages.length)).toEqual([1, 1, 1, 1, 1])
  })

  test('that is older than a quarter of an hour is sent to nodes only for saving', async () => {
    const late = await signIn()
    const save = await signIn()
    for (const list of seen) list.length = 0
    before.skewMs = 16 * 60_000
    try {
      expect((await call('POST', '/api/retrieveSharedKey/2', late.signature, late.body)).code).toBe('INVALID_SIGNATURE')
      const asked = { address: late.wallet.address, signature: late.signature }
      expect((await call('POST', '/api/message/get-jwt', undefined, asked)).code).toBe('INVALID_SIGNATURE')
      expect(seen.flat()).toEqual([])
      const body = { ...save.body, payload: { key: 'k', index: '1' } }
      expect((await call('POST', '/api/setSharedKey/1', save.signature, body)).status).toBe(200)
      const shown = seen.flat().filter((one) => one.path.startsWith('/api/keys/session/'))
      expect(shown.map((one) => JSON.parse(one.body).use)).toEqual(['save', 'save', 'save', 'save', 'save'])
    } finally {
      before.skewMs = 0
    }
  })

  test('that no key made is rate-limited before nodes check chains', async () => {
    const urls = before.router.context.config.nodes.join(',')
    const config = readKeyRouterConfig({ CAIRN_KEYROUTER_PORT: '0', CAIRN_KEYROUTER_NODES: urls })
    const now = Date.now()
    await using strict = await startRouter(config, { clock: { now: () => now }, log: pino({ level: 'silent' }) })
    const { address } = createTestWallet()
    await fetch(`${strict.url}/api/message/${address}`)
    const exchange = async () => {
      const body = JSON.stringify({ address, signature: `0x${'ab'.repeat(100)}` })
      const headers = { 'content-type': 'application/json' }
      return fetch(`${strict.url}/api/message/get-jwt`, { method: 'POST', headers, body })
    }
    for (let calls = 0; calls < contractChecksPerMinute.atRouter; calls++) expect((await exchange()).status).toBe(200)
    expect((await exchange()).status).toBe(429)
  })

  test('has a rate limit on verification, whether or not it is valid', async () => {
    const urls = before.router.context.config.nodes.join(',')
    const config = readKeyRouterConfig({ CAIRN_KEYROUTER_PORT: '0', CAIRN_KEYROUTER_NODES: urls })
    const now = Date.now()
    await using strict = await startRouter(config, { clock: { now: () => now }, log: pino({ level: 'silent' }) })
    const headers = { 'content-type': 'application/json', authorization: `Bearer 0x${'ab'.repeat(65)}` }
    const body = JSON.stringify({ address: createTestWallet().address, cid })
    const ask = () => fetch(`${strict.url}/api/retrieveSharedKey/1`, { method: 'POST', headers, body })
    for (let calls = 0; calls < signaturesPerMinute; calls++) expect((await ask()).status).toBe(401)
    expect((await ask()).status).toBe(429)
  })

  test('of a text that was never issued is rejected before any node receives it', async () => {
    const wallet = createTestWallet()
    for (const list of seen) list.length = 0
    const answer = await call('POST', '/api/retrieveSharedKey/1', signMessage(wallet.privateKey, 'x'), {
      address: wallet.address,
      cid,
    })
    expect([answer.status, answer.json.message]).toEqual([401, 'Invalid Signature'])
    expect(seen.flat()).toEqual([])
  })
})

describe('a renewal', () => {
  const refusal = JSON.stringify({ message: 'Invalid Signature' })
  const renew = async (refreshToken: string) =>
    call('PUT', '/api/message/get-jwt', undefined, { address: createTestWallet().address, refreshToken })
  const bundle = bundleTokens('r:', ['id.a', 'id.b', 'id.c', 'id.d', 'id.e'])

  test('keeps the old refresh token of an offline node, and drops that of a node that rejects it', async () => {
    answers[1] = (request) => request.socket.destroy()
    answers[3] = (_request, _body, response) =>
      response.writeHead(401, { 'x-cairn-code': 'INVALID_SIGNATURE' }).end(refusal)
    const { json } = await renew(bundle).finally(() => answers.fill(undefined))
    expect(openBundle('jwt:', json.token)).toEqual([
      'aa.bb.token1',
      undefined,
      'aa.bb.token3',
      undefined,
      'aa.bb.token5',
    ])
    expect(openBundle('r:', json.refreshToken)).toEqual([
      'id.refresh1',
      'id.b',
      'id.refresh3',
      undefined,
      'id.refresh5',
    ])
    // It participates again when it is available.
    const { json: after } = await renew(json.refreshToken)
    expect(openBundle('jwt:', after.token)?.[1]).toBe('aa.bb.token2')
  })

  test('does not wait for a silent node, which keeps its old refresh token', async () => {
    answers[2] = () => undefined
    const { status, json } = await renew(bundle).finally(() => answers.fill(undefined))
    expect(status).toBe(200)
    expect(openBundle('jwt:', json.token)?.[2]).toBeUndefined()
    expect(openBundle('r:', json.refreshToken)).toEqual([
      'id.refresh1',
      'id.refresh2',
      'id.c',
      'id.refresh4',
      'id.refresh5',
    ])
  })

  test('of two parts, or of three with one node offline, fails with the reason', async () => {
    const two = await renew(bundleTokens('r:', ['id.a', 'id.b', undefined, undefined, undefined]))
    expect([two.status, two.code]).toEqual([401, 'INVALID_SIGNATURE'])
    answers[1] = (request) => request.socket.destroy()
    const three = await renew(bundleTokens('r:', ['id.a', 'id.b', 'id.c', undefined, undefined])).finally(() =>
      answers.fill(undefined),
    )
    expect([three.status, three.code]).toEqual([503, 'KEY_NODES_UNAVAILABLE'])
  })
})

describe('a node that', () => {
  const bundle = bundleTokens('jwt:', ['a.b.c', 'a.b.c', 'a.b.c', 'a.b.c', 'a.b.c'])
  const bad: [string, PlaceAnswer][] = [
    ['answers HTML', (_request, _body, response) => response.end('<html>fetch null</html>')],
    ['says 404', (_request, _body, response) => response.writeHead(404).end('{"message":"Not Found"}')],
    ['hangs up', (request) => request.socket.destroy()],
    ['sends two million bytes', (_request, _body, response) => response.end('x'.repeat(2_000_000))],
    ['redirects', (_request, _body, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ]
  test.each(bad)('%s is reported as not answering, in words that published clients understand', async (_what, lie) => {
    answers[2] = lie
    try {
      const answer = await call('POST', '/api/retrieveSharedKey/3', bundle, {
        address: createTestWallet().address,
        cid,
      })
      expect([answer.status, answer.code]).toEqual([503, 'KEY_NODES_UNAVAILABLE'])
      expect(answer.text).not.toMatch(/fetch|null/i)
      expect(
        (await call('POST', '/api/retrieveSharedKey/4', bundle, { address: createTestWallet().address, cid })).status,
      ).toBe(200)
    } finally {
      answers[2] = undefined
    }
  })

  test('invents conditions is not trusted if three say that the file does not exist', async () => {
    const unknown: PlaceAnswer = (_request, _body, response) =>
      response
        .writeHead(400, { 'x-cairn-code': 'KEY_NOT_FOUND' })
        .end(JSON.stringify({ message: 'cid not found', data: null, requestId: crypto.randomUUID() }))
    const lie: PlaceAnswer = (_request, _body, response) => response.end('{"owner":"0xbad"}')
    const broken: PlaceAnswer = (_request, _body, response) => response.writeHead(502).end('<html>bad gateway</html>')
    const path = `/api/fileAccessConditions/get/${cid}`
    try {
      answers.splice(0, 5, lie, unknown, unknown, unknown, broken)
      expect((await call('GET', path)).code).toBe('KEY_NOT_FOUND')
      answers.splice(0, 5, broken, broken, lie, broken, broken)
      expect((await call('GET', path)).json, 'nobody says otherwise').toEqual({ owner: '0xbad' })
      answers.fill(broken)
      expect((await call('GET', path)).code).toBe('KEY_NODES_UNAVAILABLE')
    } finally {
      answers.fill(undefined)
    }
  })

  test('agrees with only one other is not trusted if three say otherwise', async () => {
    const lied = Promise.withResolvers<void>()
    let lies = 0
    const lie: PlaceAnswer = (_request, _body, response) => {
      response.end('{"owner":"0xbad"}')
      if (++lies === 2) lied.resolve()
    }
    const honest: PlaceAnswer = async (_request, _body, response) => {
      await lied.promise
      response.end('{"owner":"0xgood"}')
    }
    answers.splice(0, 5, lie, lie, honest, honest, honest)
    try {
      expect((await call('GET', `/api/fileAccessConditions/get/${cid}`)).json).toEqual({ owner: '0xgood' })
    } finally {
      answers.fill(undefined)
    }
  })

  test('says which text a signature spent is believed only with two others', async () => {
    const { address, privateKey } = createTestWallet()
    const issue = async (): Promise<string> => (await call('GET', `/api/message/${address}`)).json[0].message
    const [used, other] = [await issue(), await issue()]
    const spend =
      (node: number, text: string): PlaceAnswer =>
      (_request, _body, response) => {
        const [expiresAt, refreshExpiresAt] = [Date.now() + 60_000, Date.now() + 60_000]
        const tokens = { token: `aa.bb.token${node}`, refreshToken: 'id.r', expiresAt, refreshExpiresAt }
        response.end(JSON.stringify({ node, ...tokens, challengeId: parseChallenge(text)?.id }))
      }
    try {
      answers.splice(0, 5, spend(1, other), spend(2, used), spend(3, used), spend(4, used), spend(5, used))
      const signature = signMessage(privateKey, used)
      expect((await call('POST', '/api/message/get-jwt', undefined, { address, signature })).status).toBe(200)
      // Beyond the time in which the same request may be repeated.
      before.skewMs = 2 * 60_000
      expect(before.router.context.issued.of(address, keySaveLifetimeMs)).toEqual([other])
    } finally {
      before.skewMs = 0
      answers.fill(undefined)
    }
  })

  test('is silent does not delay conditions, whether or not three others agree', async () => {
    const path = `/api/fileAccessConditions/get/${cid}`
    const silent: PlaceAnswer = () => undefined
    const other: PlaceAnswer = (_request, _body, response) => response.end('{"owner":"0xbad"}')
    try {
      answers.splice(0, 2, silent, silent)
      expect((await call('GET', path)).json).toEqual({ message: 'success' })
      answers.splice(0, 5, silent, undefined, undefined, other, other)
      expect((await call('GET', path)).json).toEqual({ message: 'success' })
    } finally {
      answers.fill(undefined)
    }
  })

  test('sends endless tokens, or is slow, is excluded from a session, and others stop waiting for it', async () => {
    const long: PlaceAnswer = (_request, _body, response) => {
      const [expiresAt, refreshExpiresAt] = [Date.now() + 60_000, Date.now() + 60_000]
      const token = `aa.bb.${'x'.repeat(5_000)}`
      response.end(JSON.stringify({ node: 1, token, refreshToken: 'id.r', expiresAt, refreshExpiresAt }))
    }
    const { wallet, signature } = await signIn()
    answers[0] = long
    answers[3] = () => undefined
    try {
      const { json } = await call('POST', '/api/message/get-jwt', undefined, { address: wallet.address, signature })
      const tokens = [undefined, 'aa.bb.token2', 'aa.bb.token3', undefined, 'aa.bb.token5']
      expect(openBundle('jwt:', json.token)).toEqual(tokens)
    } finally {
      answers.fill(undefined)
    }
  })

  test('is excluded from a session is reported as offline, and the session is not reported as invalid', async () => {
    const partly = bundleTokens('jwt:', ['aa.bb.1', undefined, 'aa.bb.3', 'aa.bb.4', 'aa.bb.5'])
    const body = { address: createTestWallet().address, cid }
    const { status, code, text } = await call('POST', '/api/retrieveSharedKey/2', partly, body)
    expect([status, code]).toEqual([503, 'KEY_NODES_UNAVAILABLE'])
    expect(text).toContain('renew the session')
    expect((await call('POST', '/api/retrieveSharedKey/3', partly, body)).status).toBe(200)
  })

  test('sends an invalid nonce is excluded from a message', async () => {
    answers[2] = (_request, _body, response) => {
      response.end(JSON.stringify({ node: 3, nonce: `${'0'.repeat(31)}\nPurpose: all`, network: 'local' }))
    }
    try {
      const { json } = await call('GET', `/api/message/${createTestWallet().address}`)
      expect(json[0].message).toContain('\nNodes: 1,2,-,4,5\n')
    } finally {
      answers.fill(undefined)
    }
  })

  test('receives the client address of a request', async () => {
    for (const list of seen) list.length = 0
    const { signature, body } = await signIn()
    await call('POST', '/api/retrieveSharedKey/2', signature, body)
    const asked = seen.flat()
    expect(asked.map(({ path }) => path.split('/').slice(0, -1).join('/'))).toContain('/api/keys/nonce')
    expect(asked.map((one) => one.for)).toEqual(asked.map(() => '127.0.0.1'))
  })

  test('is offline is excluded from a message; three offline nodes make it impossible', async () => {
    const away: PlaceAnswer = (request) => request.socket.destroy()
    const wallet = createTestWallet()
    answers[0] = away
    answers[4] = away
    try {
      const { json } = await call('GET', `/api/message/${wallet.address}`)
      expect(json[0].message).toContain('\nNodes: -,2,3,4,-\n')
      answers[1] = away
      expect((await call('GET', `/api/message/${wallet.address}`)).code).toBe('KEY_NODES_UNAVAILABLE')
    } finally {
      answers.fill(undefined)
    }
  })
})

test('a wrong CID in a path reaches the node, which checks the caller first; no path leads to another call', async () => {
  answers[0] = (_request, _body, response) => {
    response.writeHead(401, { 'x-cairn-code': 'INVALID_SIGNATURE' }).end('{"message":"Invalid Signature"}')
  }
  /** Sends a path unchanged, because a URL would resolve its dots. */
  const send = async (path: string) => {
    const sent = request(before.router.url, { path }).end()
    const [answer]: IncomingMessage[] = await once(sent, 'response')
    answer?.resume()
    return [answer?.statusCode, answer?.headers['x-cairn-code'], seen[0]?.splice(0).map((one) => one.path)]
  }
  seen[0]?.splice(0)
  try {
    for (const [path, forwarded] of [
      ['/api/keys/status/1/nocid?a=b', '/api/keys/status/1/nocid?a=b'],
      ['/api/keys/status/1/a%2f..%2fb', '/api/keys/status/1/a%2F..%2Fb'],
      ['/api/keys/status/1/..\\..\\list', '/api/keys/status/1/..%5C..%5Clist'],
    ] as const)
      expect(await send(path)).toEqual([401, 'INVALID_SIGNATURE', [forwarded]])
    expect(await send('/api/keys/status/1/%2e%2E')).toEqual([400, 'INVALID_CID', []])
  } finally {
    answers.fill(undefined)
  }
})

test('a client that disconnects while a node is silent logs no error', async () => {
  const asked = Promise.withResolvers<void>()
  answers[0] = () => asked.resolve()
  const from = lines.length
  try {
    const leaving = new AbortController()
    const answer = fetch(`${before.router.url}/api/retrieveSharedKey/1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer aa.bb.cc' },
      body: JSON.stringify({ address: createTestWallet().address, cid }),
      signal: leaving.signal,
    })
    await asked.promise
    leaving.abort()
    await expect(answer).rejects.toThrow()
    const output = () =>
      lines.slice(from).map((line) => JSON.parse(line) as { level: number; msg: string; err?: unknown })
    await expect.poll(() => output().map(({ msg }) => msg)).toContain('client disconnected')
    for (const { level, err } of output()) expect([level < 40, err]).toEqual([true, undefined])
  } finally {
    answers[0] = undefined
  }
})

test('logs no content of the requests', async () => {
  const { signature, body } = await signIn()
  await call('POST', '/api/setSharedKey/1', signature, { ...body, payload: { key: 'secretshard', index: '1' } })
  const log = lines.join('')
  expect(log.length).toBeGreaterThan(1000)
  for (const secret of [signature.slice(10, 60), 'secretshard', 'token1', body.address])
    expect(log.includes(secret), secret).toBe(false)
})
