import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { parseChains } from '../conditions/chains.ts'
import { createTestWallet, createText, startTestNode } from '../test-node.fixture.ts'
import { type ContractLimits, contractChecksPerMinute, createContractVerifier } from './verify-contract.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const signature = `0x${'ab'.repeat(100)}` as const
const texts = Array.from({ length: 40 }, (_text, i) => `text ${i}`)
const yes = `0x1626ba7e${'0'.repeat(56)}`
const no = `0x${'0'.repeat(64)}`
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}` as const

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A real endpoint of a chain; what it says is the test's, `undefined` is silence. */
async function serveChain(answer: (method: string, asked: number) => string | undefined) {
  const asked: Record<string, number> = {}
  const silent: ServerResponse[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      const { method } = JSON.parse(body) as { method: string }
      const count = (asked[method] ?? 0) + 1
      asked[method] = count
      const result = method === 'eth_chainId' ? '0x7a69' : answer(method, count)
      if (result === undefined) silent.push(response)
      else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const chains = { Local: { family: 'evm', chainId: 31337, rpcUrls: [url], confirmations: 0 } }
  return { asked, silent, settings: JSON.stringify({ chains }) }
}

function createVerifier(settings: string, limits: Partial<ContractLimits> = {}) {
  const verify = createContractVerifier(parseChains(settings), { clock: { now: () => Date.now() }, limits })
  return (address: `0x${string}`) => verify({ address, texts, signature, chain: 'ALL' })
}

test('where there is no contract, one question answers for all texts, and for the next seconds', async () => {
  const { asked, settings } = await serveChain(() => '0x')
  const verify = createVerifier(settings)
  expect([await verify(addressOf(1)), await verify(addressOf(1))]).toEqual([undefined, undefined])
  expect(asked).toEqual({ eth_chainId: 1, eth_getCode: 1 })
})

test('a contract is asked about a few texts at a time, and about no more once it has said yes', async () => {
  const { asked, settings } = await serveChain((method, count) =>
    method === 'eth_getCode' ? '0x60' : count === 3 ? yes : no,
  )
  expect(texts.slice(0, 4)).toContain(await createVerifier(settings)(addressOf(1)))
  expect(asked['eth_call']).toBe(4)
})

test('all texts have one time together', async () => {
  const { asked, settings } = await serveChain((method, count) =>
    method === 'eth_getCode' ? '0x60' : count <= 4 ? no : undefined,
  )
  await expect(createVerifier(settings, { timeoutMs: 500 })(addressOf(1))).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
  })
  expect(asked['eth_call']).toBe(8)
})

test('so many checks run at a time, fewer for one address; the others are told to wait', async () => {
  const { silent, settings } = await serveChain(() => undefined)
  const verify = createVerifier(settings, { inFlight: 3, inFlightPerAddress: 2 })
  const limited = { code: 'RATE_LIMITED', retryAfterSeconds: 5 }
  const running = [verify(addressOf(1)), verify(addressOf(1))]
  await expect(verify(addressOf(1))).rejects.toMatchObject(limited)
  running.push(verify(addressOf(2)))
  await expect(verify(addressOf(3))).rejects.toMatchObject(limited)
  const settled = Promise.allSettled(running)
  while (silent.length < 2) await turn()
  for (const response of silent) response.end('{"jsonrpc":"2.0","id":1,"result":"0x"}')
  expect(await settled).toEqual(running.map(() => ({ status: 'fulfilled', value: undefined })))
  const after = verify(addressOf(3))
  while (silent.length < 3) await turn()
  silent[2]?.end('{"jsonrpc":"2.0","id":1,"result":"0x"}')
  expect(await after).toBeUndefined()
})

test('a node lets nobody ask chains without end', async () => {
  const { asked, settings } = await serveChain(() => '0x')
  await using node = await startTestNode({ CAIRN_KEYNODE_CHAINS: settings, CAIRN_RATE_FACTOR: '1' })
  const wallet = createTestWallet()
  const headers = { 'x-auth-message': Buffer.from(await createText(node, wallet)).toString('base64url') }
  const body = { address: wallet.address, cid }
  const call = async () =>
    (await node.call('POST', '/api/retrieveSharedKey/1', { token: signature, headers, body })).code
  for (let calls = 0; calls < contractChecksPerMinute.atNode; calls++) expect(await call()).toBe('INVALID_SIGNATURE')
  expect(await call()).toBe('RATE_LIMITED')
  expect(asked['eth_getCode']).toBeLessThan(contractChecksPerMinute.atNode)
})
