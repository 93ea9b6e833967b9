import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findNetwork, readProfile } from '#platform/find-network'
import { listen } from '../../../tests/listen.ts'
import { loadNetwork } from './load-network.ts'

let base = ''
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'cairn-where-'))
  mkdirSync(join(base, '.cairn'))
  mkdirSync(join(base, 'home'))
  mkdirSync(join(base, 'a', 'b'), { recursive: true })
  for (const folder of ['.cairn', 'home']) writeFileSync(join(base, folder, 'network.json'), '{}')
})
afterAll(() => rmSync(base, { recursive: true }))

test('finds a network by CAIRN_NETWORK, then in CAIRN_HOME, then in the nearest parent folder', () => {
  const [nearest, home] = [join(base, '.cairn', 'network.json'), join(base, 'home')]
  const from = join(base, 'a', 'b')
  expect(findNetwork({ CAIRN_NETWORK: 'https://cairn.test', CAIRN_HOME: home }, from)).toBe('https://cairn.test')
  expect(findNetwork({ CAIRN_HOME: home }, from)).toBe(join(home, 'network.json'))
  expect(findNetwork({ CAIRN_HOME: join(base, 'a') }, from), 'a home without a profile').toBe(nearest)
  expect(findNetwork({ CAIRN_NETWORK: '', CAIRN_HOME: '' }, from)).toBe(nearest)
})

test('a profile that cannot be read is not reported as missing', async () => {
  const missing = join(base, 'none.json')
  await expect(readProfile(missing)).rejects.toMatchObject({ message: `No network profile at ${missing}` })
  for (const address of ['127.0.0.1:8080', 'localhost', '[::1]:8080', 'storage.example.com/'])
    await expect(readProfile(address)).rejects.toMatchObject({
      code: 'NO_NETWORK',
      hint: `If ${address} is the address of a service, start it with http:// or https://.`,
    })
  for (const path of [missing, 'profile.json', './storage.example.com'])
    await expect(readProfile(path)).rejects.toMatchObject({ hint: expect.stringContaining('npm start') })
  await expect(readProfile(base)).rejects.toMatchObject({
    code: 'NO_NETWORK',
    message: `Cannot read the network profile ${base} (EISDIR)`,
    hint: 'Check the path and its permissions.',
  })
})

test.each([
  [404, 'Not Found'],
  [403, '<Error/>'],
  [200, '<!doctype html>'],
  [200, '{}'],
])('an address that answers %i with %j is not reported as content that was not found', async (status, body) => {
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const failure = { code: 'NO_NETWORK', message: expect.stringMatching(`^${url} is not a `) }
  await expect(loadNetwork(url)).rejects.toMatchObject(failure)
  server.close()
  server.closeAllConnections()
})

test('a profile is requested again while the service is busy, and an abort ends the request', async () => {
  const profile = { name: 'x', api: 'http://a.test', upload: 'http://a.test', gateway: 'http://g.test' }
  let requests = 0
  await using busy = await listen((_request, response) => {
    if (++requests < 3) response.writeHead(503, { 'retry-after': '0' }).end()
    else response.end(JSON.stringify(profile))
  })
  expect(await loadNetwork(busy.url)).toMatchObject(profile)
  const stop = new AbortController()
  // Without the signal, the time limit of the call would end it, with another code.
  await using silent = await listen(() => stop.abort())
  await expect(loadNetwork(silent.url, { signal: stop.signal })).rejects.toMatchObject({ code: 'ABORTED' })
})
