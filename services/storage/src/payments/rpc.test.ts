import { afterEach, beforeEach, expect, test } from 'vitest'
import { listen } from '../../../../tests/listen.ts'
import { createRpc, hexNumber, RpcRefusal } from './rpc.ts'

let answer: { status: number; body: string }
let server: Awaited<ReturnType<typeof listen>>
beforeEach(async () => {
  server = await listen((request, response) => {
    request.resume().once('end', () => response.writeHead(answer.status).end(answer.body))
  })
})
afterEach(() => server[Symbol.asyncDispose]())

const ask = () => createRpc(server.url).ask('eth_chainId', [], hexNumber)

test.each([
  [429, 'Too Many Requests', 'returned status 429'],
  [401, '<html>no such key</html>', 'returned status 401'],
  [500, '{"jsonrpc":"2.0","id":1,"result":"0x1"}', 'returned status 500'],
  [200, '<html>maintenance</html>', 'returned a response that is not JSON-RPC'],
  [200, '{"jsonrpc":"2.0","id":1}', 'returned a response that is not JSON-RPC'],
  [200, '{"jsonrpc":"2.0","id":1,"error":null}', 'returned a response that is not JSON-RPC'],
  [200, '{"jsonrpc":"2.0","id":1,"result":"1"}', 'returned a malformed response to eth_chainId'],
])('a response with status %i and the body %s is an error that says so', async (status, body, text) => {
  answer = { status, body }
  await expect(ask()).rejects.toMatchObject({ code: 'UPSTREAM_FAILED', message: `An endpoint of the chain ${text}` })
})

test('an endpoint that is not there is unreachable', async () => {
  await server[Symbol.asyncDispose]()
  await expect(ask()).rejects.toThrow('An endpoint of the chain is unreachable')
})

test.each([
  ['{"code":-32005,"message":"limited"}', -32005, 'limited'],
  ['{"code":"-32000","message":"limited"}', -32000, 'limited'],
  [
    '{"code":35,"message":"ranges over 10000 blocks are not supported"}',
    35,
    'ranges over 10000 blocks are not supported',
  ],
  ['{"message":"limited"}', undefined, 'limited'],
  ['{"code":-32000}', -32000, ''],
  ['"limited"', undefined, 'limited'],
])('the error %s is a refusal, with any status', async (error, code, message) => {
  for (const status of [200, 400, 413, 429]) {
    answer = { status, body: `{"jsonrpc":"2.0","id":1,"error":${error}}` }
    const refusal = await ask().catch((caught: unknown) => caught)
    expect(refusal).toBeInstanceOf(RpcRefusal)
    expect(refusal).toMatchObject({ code, message })
  }
})

test('a result beside an empty error is a result', async () => {
  answer = { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"0x10","error":null}' }
  expect(await ask()).toBe(16)
})
