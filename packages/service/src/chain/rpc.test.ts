import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CairnError, conditionReason } from '@cairn/protocol'
import pino from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { createDependencies } from '../dependencies.ts'
import { createChainClient, type RpcLimits, type RpcParts } from './rpc.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A real HTTP endpoint with a given handler, which counts its requests. */
async function serve(handler: Handler) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      seen.push(body === '' ? (request.url ?? '') : body)
      handler(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const respond = (text: string, status = 200): Handler => {
  return (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}
const succeed = (result: string) => respond(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
const silent: Handler = () => undefined

/** For endpoints that answer, however busy the machine is. */
const ample: Partial<RpcLimits> = { callMs: 15_000, totalMs: 25_000 }
/** For endpoints that never answer: three of them exceed the total time limit. */
const short: Partial<RpcLimits> = { callMs: 300, totalMs: 600 }

function connect(urls: string[], limits: Partial<RpcLimits> = {}, parts: Partial<RpcParts> = {}) {
  const clock = { time: 0, now: () => clock.time }
  const dependencies = createDependencies({ clock, log: pino({ level: 'silent' }) })
  const chain = { name: 'Local', rpcUrls: urls }
  const client = createChainClient(chain, { clock, dependencies, limits: { ...ample, ...limits }, ...parts })
  return { client, clock, report: () => dependencies.report() }
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(String, (thrown: unknown) => thrown)
  return CairnError.is(error, 'UPSTREAM_FAILED') ? error.message : `no refusal: ${error}`
}

describe('answers', () => {
  test('include a result with exact integers', async () => {
    const { url, seen } = await serve(
      succeed('{"value":18446744073709551615,"near":9007199254740993,"part":1.5,"small":7}'),
    )
    const answer = await connect([url]).client.call('getBalance', ['x', { commitment: 'finalized' }])
    expect(answer).toEqual({
      kind: 'result',
      result: { value: 18446744073709551615n, near: 9007199254740993n, part: 1.5, small: 7 },
    })
    expect(JSON.parse(seen[0] ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'getBalance',
      params: ['x', { commitment: 'finalized' }],
    })
  })

  test('include an execution error', async () => {
    const { url } = await serve(
      respond('{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x"}}'),
    )
    const answer = await connect([url]).client.call('eth_call', [])
    expect(answer).toEqual({ kind: 'error', code: 3, message: 'execution reverted', data: '0x' })
  })

  test('include one with a status of failure, as some endpoints send it', async () => {
    const { url } = await serve(respond('{"error":{"code":3,"message":"execution reverted"}}', 500))
    expect(await connect([url]).client.call('eth_call', [])).toMatchObject({ code: 3 })
    const other = await serve(respond('{"error":{"code":-32005,"message":"limit exceeded"}}', 503))
    expect(await reasonOf(connect([other.url]).client.call('x', []))).toBe('the chain returned status 503')
    const result = await serve(respond('{"result":1}', 500))
    expect(await reasonOf(connect([result.url]).client.call('x', []))).toBe('the chain returned status 500')
  })

  test('include a document, and its absence', async () => {
    const { url, seen } = await serve((request, response) => {
      response
        .writeHead(request.url?.includes('none') ? 404 : 200)
        .end(JSON.stringify(request.headers['x-height'] ?? null))
    })
    const { client } = connect([`${url}/base/?key=1`])
    expect(await client.get('/a%2Fb?denom=x%26y', { headers: { 'x-height': '5' } })).toEqual({ status: 200, body: '5' })
    expect(await client.get('/none')).toEqual({ status: 404, body: null })
    expect(seen).toEqual(['/base/a%2Fb?key=1&denom=x%26y', '/base/none?key=1'])
  })
})

describe('invalid answers', () => {
  const page = '<!doctype html><title>Gateway</title>'
  test.each<[string, Handler, string]>([
    ['a web page', respond(page), 'the response of the chain is not JSON'],
    ['a web page with an error', respond(page, 502), 'the chain returned status 502'],
    ['too many requests', respond('{}', 429), 'the chain returned status 429'],
    ['JSON that is no JSON-RPC', respond('[]'), 'the response of the chain is not JSON-RPC'],
    ['neither result nor error', respond('{"jsonrpc":"2.0","id":1}'), 'the response of the chain is not JSON-RPC'],
    ['an error that is none', respond('{"error":"no"}'), 'the response of the chain is not JSON-RPC'],
    ['JSON nested without end', respond('['.repeat(400_000)), 'the response of the chain is not JSON'],
    [
      'bytes that are no text',
      (_request, response) => void response.end(Buffer.from([0x22, 0xff, 0x22])),
      'unreachable',
    ],
    ['more than 1 MiB', succeed(`"${'x'.repeat(1024 * 1024)}"`), 'the response of the chain is too large'],
    ['nothing, ever', silent, 'the chain did not respond in time'],
    ['a body that never ends', (_request, response) => void response.write('{'), 'the chain did not respond in time'],
    ['a cut connection', (request) => void request.socket.destroy(), 'the chain is unreachable'],
  ])('%s', async (_what, handler, reason) => {
    const { url } = await serve(handler)
    const { client, report } = connect([`${url}/v2/secret-key`], reason.endsWith('in time') ? short : ample)
    expect(await reasonOf(client.call('x', []))).toContain(reason)
    // Contracts can produce oversized answers, which must not make an endpoint look broken.
    const isOfEndpoint = !reason.endsWith('too large')
    expect(report()).toMatchObject([
      isOfEndpoint ? { state: 'failed', reason: expect.stringContaining(reason) } : { state: 'unknown' },
    ])
    expect(report()).toMatchObject([{ kind: 'endpoint', name: 'Local', endpoint: 0 }])
    expect(JSON.stringify(report())).not.toContain('secret')
  })

  test('include more than 1 MiB after decompression', async () => {
    const { gzipSync } = await import('node:zlib')
    const packed = gzipSync(`"${'x'.repeat(64 * 1024 * 1024)}"`)
    const { url } = await serve(
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    )
    expect(await reasonOf(connect([url]).client.call('x', []))).toContain('too large')
  })

  test('include a redirect, which is not followed', async () => {
    const target = await serve(succeed('1'))
    const { url } = await serve((_request, response) => void response.writeHead(307, { location: target.url }).end())
    expect(await reasonOf(connect([url]).client.call('x', []))).toBe('the chain is unreachable')
    expect(await reasonOf(connect([url]).client.get('/x'))).toBe('the chain is unreachable')
    expect(target.seen).toEqual([])
  })
})

describe('several endpoints', () => {
  test('are called one after the other on failure, each once', async () => {
    const [bad, html, last] = [
      await serve(respond('{}', 500)),
      await serve(respond('<p>')),
      await serve(succeed('"yes"')),
    ]
    const { client } = connect([bad.url, html.url, last.url])
    expect(await client.call('x', [])).toEqual({ kind: 'result', result: 'yes' })
    expect([bad.seen.length, html.seen.length, last.seen.length]).toEqual([1, 1, 1])
  })

  test('return one execution error at once, and retry other errors', async () => {
    const revert = await serve(respond('{"error":{"code":-32000,"message":"execution reverted: no"}}'))
    const limit = await serve(respond('{"error":{"code":-32005,"message":"limit exceeded"}}'))
    const last = await serve(succeed('"yes"'))
    expect(await connect([revert.url, last.url]).client.call('x', [])).toMatchObject({ kind: 'error' })
    expect(last.seen.length).toBe(0)
    expect(await connect([limit.url, last.url]).client.call('x', [])).toMatchObject({ result: 'yes' })
    expect(await connect([limit.url, limit.url]).client.call('x', [])).toMatchObject({ code: -32005 })
    const gas = await serve(respond('{"error":{"code":-32003,"message":"out of gas: execution reverted"}}'))
    expect(await connect([gas.url, last.url]).client.call('x', [])).toMatchObject({ result: 'yes' })
  })

  test('share one time limit', async () => {
    const dead = await serve(silent)
    const late = await serve(succeed('1'))
    const { client } = connect([dead.url, dead.url, dead.url, late.url], short)
    expect(await reasonOf(client.call('x', []))).toBe('the chain did not respond in time')
    expect(late.seen).toEqual([])
  })

  test('pause an endpoint for ten seconds after three failures in a row', async () => {
    const bad = await serve(respond('{}', 500))
    const { client, clock } = connect([bad.url])
    for (let turn = 0; turn < 5; turn++) await reasonOf(client.call('x', []))
    expect(bad.seen.length).toBe(3)
    expect(await reasonOf(client.call('x', []))).toBe('no endpoint of the chain responds')
    clock.time = 10_001
    await reasonOf(client.call('x', []))
    await reasonOf(client.call('x', []))
    expect(bad.seen.length).toBe(4)
    // A clock that was ahead is set back.
    clock.time -= 86_400_000
    await reasonOf(client.call('x', []))
    expect(bad.seen.length).toBe(5)
  })

  test('do not pause for oversized answers', async () => {
    const large = await serve(succeed(`"${'x'.repeat(1024)}"`))
    const { client } = connect([large.url], { bodyBytes: 512 })
    for (let turn = 0; turn < 5; turn++) await reasonOf(client.call('x', []))
    expect(large.seen.length).toBe(5)
  })

  test('are verified before their first use and hourly', async () => {
    const other = await serve(succeed('"0x1"'))
    const right = await serve(succeed('"0x2"'))
    const verify: RpcParts['verify'] = async (endpoint) => {
      const answer = await endpoint.call('eth_chainId', [])
      return answer.kind === 'result' && answer.result === '0x2'
        ? undefined
        : conditionReason('ENDPOINT_OF_ANOTHER_CHAIN')
    }
    const { client, clock } = connect([other.url, right.url], {}, { verify })
    expect(await client.call('x', [])).toMatchObject({ result: '0x2' })
    expect(other.seen.some((body) => body.includes('"x"'))).toBe(false)
    await client.call('x', [])
    expect(right.seen.filter((body) => body.includes('eth_chainId')).length).toBe(1)
    clock.time = 3_600_001
    await client.call('x', [])
    expect(right.seen.filter((body) => body.includes('eth_chainId')).length).toBe(2)
  })
})

describe('saving requests', () => {
  /** Answers on request. */
  async function serveLater() {
    const pending: ServerResponse[] = []
    let notify: () => void = () => undefined
    const endpoint = await serve((_request, response) => {
      pending.push(response)
      notify()
    })
    const come = async (count: number) => {
      while (pending.length < count) {
        await new Promise<void>((resolve) => {
          notify = resolve
        })
      }
    }
    return { ...endpoint, pending, come, release: () => pending.splice(0).map((each) => each.end('{"result":1}')) }
  }

  test('sends identical concurrent requests once, and an abort does not affect other callers', async () => {
    const later = await serveLater()
    const { client } = connect([later.url])
    const leaver = new AbortController()
    const first = reasonOf(client.call('x', [1], { signal: leaver.signal }))
    const others = [client.call('x', [1]), client.call('x', [1])]
    const different = client.call('x', [2])
    await later.come(2)
    leaver.abort()
    expect(await first).toBe('the chain did not respond in time')
    later.release()
    expect(await Promise.all([...others, different])).toEqual(Array(3).fill({ kind: 'result', result: 1 }))
    expect(later.seen.length).toBe(2)
  })

  test('limits concurrent requests; the others wait', async () => {
    const later = await serveLater()
    const { client } = connect([later.url], { inFlight: 2 })
    const calls = [1, 2, 3, 4, 5].map((each) => client.call('x', [each]))
    await later.come(2)
    expect(later.seen.length).toBe(2)
    later.release()
    await later.come(2)
    expect(later.seen.length).toBe(4)
    later.release()
    await later.come(1)
    later.release()
    expect((await Promise.all(calls)).length).toBe(5)
  })

  test('caches successful answers for the given time, and no others', async () => {
    const counted = await serve(succeed('1'))
    const { client, clock } = connect([counted.url])
    await client.call('x', [], { keepMs: 2000 })
    clock.time = 1_999
    await client.call('x', [])
    expect(counted.seen.length).toBe(1)
    clock.time = 2_000
    await client.call('x', [])
    expect(counted.seen.length).toBe(2)
    const failing = await serve(respond('{"error":{"code":3,"message":"reverted"}}'))
    const second = connect([failing.url]).client
    await second.call('x', [], { keepMs: 2000 })
    await second.call('x', [], { keepMs: 2000 })
    expect(failing.seen.length).toBe(2)
  })
})
