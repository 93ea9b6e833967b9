import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseNetworkProfile } from '@cairn/protocol'
import { privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createNetwork, type NetworkOptions } from './network.ts'
import { checkPorts } from './processes/check-ports.ts'

let home = ''
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'cairn-local-')), 'home')
})
afterEach(() => rmSync(join(home, '..'), { recursive: true, force: true }))

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
const options = (): NetworkOptions => ({ home, ports: 'any', environment: { CAIRN_LOG_LEVEL: 'silent' } })
const modeOf = (name: string) => (statSync(join(home, name)).mode & 0o777).toString(8)

test('writes its profile when everything is ready, and removes it when it stops', async () => {
  {
    await using network = await createNetwork(options())
    const written: unknown = JSON.parse(readFileSync(join(home, 'network.json'), 'utf8'))
    expect(written).toEqual(network.profile)
    const profile = parseNetworkProfile(written)
    // Services that do not run are absent, not empty.
    expect(Object.keys(profile).sort()).toEqual([
      'api',
      'chain',
      'chains',
      'eventSigner',
      'gateway',
      'keyNodePauseMs',
      'keyNodes',
      'keyRouter',
      'name',
      'pinning',
      's3',
      'upload',
      'wallet',
    ])
    expect((await fetch(`${profile.api}/readyz`)).status).toBe(200)
    expect((await fetch(`${profile.gateway}/ipfs/bafkqaaa`)).status).toBe(200)
    const served: unknown = await (await fetch(`${profile.api}/.well-known/cairn.json`)).json()
    const { wallet, s3, ...rest } = network.profile
    // The S3 keys are only in the file, and the price, which can change, only in the response.
    expect(served).toEqual({ ...rest, s3: { endpoint: s3?.endpoint, region: s3?.region }, usdPerGib: 4 })
    expect(s3).toMatchObject({ accessKeyId: expect.any(String), secretAccessKey: expect.any(String) })
    expect(privateKeyToAddress(wallet.privateKey)).toBe(wallet.address)
  }
  expect(existsSync(join(home, 'network.json'))).toBe(false)
})

test('reports only the offset if the offset of the ports is invalid', async () => {
  const environment = { CAIRN_PORT_OFFSET: '60000' }
  await expect(createNetwork({ home, environment })).rejects.toMatchObject({
    message: 'CAIRN_PORT_OFFSET must be a whole number from 0 to 56000',
  })
})

test('makes secrets readable only by their owner', async () => {
  await using _network = await createNetwork(options())
  expect(modeOf('.')).toBe('700')
  expect(modeOf('wallet.key')).toBe('600')
  expect(modeOf('network.json')).toBe('600')
})

test('creates the wallet once', async () => {
  const start = async () => {
    await using network = await createNetwork(options())
    return network.profile.wallet
  }
  expect(await start()).toEqual(await start())
})

test('rejects a wallet that is damaged or readable by others, and never replaces it', async () => {
  await (await createNetwork(options()))[Symbol.asyncDispose]()
  const path = join(home, 'wallet.key')
  chmodSync(path, 0o644)
  await expect(createNetwork(options())).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining('wallet.key'),
    hint: expect.stringContaining('chmod 600'),
  })
  chmodSync(path, 0o600)
  writeFileSync(path, '0x12')
  await expect(createNetwork(options())).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  expect(readFileSync(path, 'utf8')).toBe('0x12')
})

test('rejects a second start in the same folder without harm', async () => {
  await using network = await createNetwork(options())
  await expect(createNetwork(options())).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  expect(existsSync(join(home, 'network.json'))).toBe(true)
  expect((await fetch(`${network.profile.api}/healthz`)).status).toBe(200)
})

test('starts although a killed run left its files', async () => {
  await (await createNetwork(options()))[Symbol.asyncDispose]()
  writeFileSync(join(home, 'network.json'), '{"api":"http://127.0.0.1:1"}')
  writeFileSync(join(home, 'network.pid'), '1')
  await using network = await createNetwork(options())
  expect(JSON.parse(readFileSync(join(home, 'network.json'), 'utf8'))).toEqual(network.profile)
})

test('rejects a wrong setting before it creates anything', async () => {
  const wrong = { ...options(), environment: { CAIRN_FREE_BYTES: 'much' } }
  await expect(createNetwork(wrong)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  expect(existsSync(home)).toBe(false)
})

test.skipIf(!hasIpv6)('runs on an IPv6 address', async () => {
  const environment = { CAIRN_HOST: '::1', CAIRN_LOG_LEVEL: 'silent' }
  await using network = await createNetwork({ ...options(), environment })
  const { api, gateway, keyRouter = '', keyNodes = [], chain } = network.profile
  const services = [`${gateway}/ipfs/bafkqaaa`, ...[api, keyRouter, ...keyNodes].map((url) => `${url}/healthz`)]
  for (const url of services) {
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\//)
    expect((await fetch(url)).status).toBe(200)
  }
  expect(chain?.rpcUrl).toContain('[::1]')
})

test('rejects ports that clients refuse to connect to', async () => {
  const chosen = { ...options(), ports: 'default', environment: { CAIRN_PORT_OFFSET: '2000' } } as const
  await expect(createNetwork(chosen)).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: 'Browsers and Node.js do not connect to port 10080 (storage)',
    hint: expect.stringContaining('CAIRN_PORT_OFFSET'),
  })
  await expect(fetch('http://127.0.0.1:10080')).rejects.toMatchObject({ cause: { message: 'bad port' } })
})

test('lists all ports in use in one error, with the remedy', async () => {
  const servers = [createServer(), createServer()]
  try {
    const ports = await Promise.all(servers.map(listen))
    const wanted = ports.map((port, index) => ({ part: `part ${index}`, port }))
    await expect(checkPorts('127.0.0.1', wanted)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: `port ${ports[0]} (part 0) and port ${ports[1]} (part 1) on 127.0.0.1 are in use`,
      hint: expect.stringContaining('CAIRN_PORT_OFFSET'),
    })
  } finally {
    for (const server of servers) server.close()
  }
})

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
