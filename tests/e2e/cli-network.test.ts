// What the command line remembers of a network that it loads by URL.
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliHome, createCliHome } from './cli-home.ts'

let home: CliHome
/** The profile that the service currently sends. */
let profile: Record<string, unknown>
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(profile))
})
let url = ''
beforeAll(async () => {
  home = await createCliHome()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await home?.[Symbol.asyncDispose]()
})

const keyNodes = [1, 2, 3, 4, 5].map((n) => `https://key${n}.test`)
const chainOf = (chainId: number, paymentContract: string) => ({
  name: 'polygon',
  rpcUrl: 'https://rpc.test',
  chainId,
  symbol: 'POL',
  nativeDecimals: 18,
  tokens: {},
  paymentContract,
})
const cairn = (args: string[], config: string) => home.cairn([...args, '--network', url, '--json'], { config })

test('a service cannot give later commands other key nodes or contracts', async () => {
  const { chain: _chain, chains: _chains, ...rest } = home.network.profile
  profile = { ...rest, keyNodes, chains: [chainOf(137, '0xaa')] }
  const config = 'pinned'
  expect((await cairn(['status'], config)).code).toBe(0)
  const stored = join(home.folder, config, 'networks.json')
  expect(statSync(stored).mode & 0o777).toBe(0o600)
  // Another URL of the same profile.
  expect((await home.cairn(['status', '--network', `${url}/.well-known/cairn.json`], { config })).code).toBe(0)
  expect(Object.keys(JSON.parse(readFileSync(stored, 'utf8')))).toEqual([url])

  const others = keyNodes.with(0, 'https://thief.test')
  profile = { ...profile, keyNodes: others, chains: [chainOf(137, '0xbb'), chainOf(10, '0xcc')] }
  const before = readFileSync(stored, 'utf8')
  const refused = await cairn(['status'], config)
  expect(refused.code).toBe(7)
  const changes = [
    {
      what: 'key nodes',
      before: expect.stringContaining(keyNodes[0] ?? ''),
      now: expect.stringContaining('1 https://thief.test'),
    },
    { what: 'payment contracts', before: '0xaa on polygon (137)', now: '0xbb on polygon (137), 0xcc on polygon (10)' },
  ]
  expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'NETWORK_CHANGED', details: { changes } } })
  expect(JSON.parse((await cairn(['network'], config)).out)).toMatchObject({ keyNodes: others, changes })
  expect(readFileSync(stored, 'utf8'), 'nothing of it is learned').toBe(before)

  expect((await cairn(['network', 'trust'], config)).code, 'without a terminal or --yes').toBe(2)
  expect((await cairn(['status'], config)).code).toBe(7)
  expect(JSON.parse((await cairn(['network', 'trust', '--yes'], config)).out)).toMatchObject({ changes })
  expect((await cairn(['status'], config)).code).toBe(0)
  expect(JSON.parse((await cairn(['network', 'show'], config)).out)).toMatchObject({ changes: [] })
})

test('a local network may be reset, and a profile in a file is always trusted', async () => {
  const config = 'local'
  profile = { ...home.network.profile, chains: [chainOf(31_337, '0xaa')] }
  expect((await cairn(['status'], config)).code).toBe(0)
  profile = { ...profile, chains: [chainOf(31_337, '0xbb')] }
  expect((await cairn(['status'], config)).code).toBe(0)
  const file = await home.cairn(['network', 'trust'], { config })
  expect(file.code).toBe(2)
  expect(file.err).toContain('The profile of this network is a file')
})
