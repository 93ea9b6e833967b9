import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestKey, createTestNetwork } from '../fixtures.ts'
import { drip, filePart, hold, jsonHead, until, uploadEnd, uploadHead } from './hostile-connections.ts'
import { startStorageProcess } from './storage-process.ts'

// Other systems have only one loopback address until they are given more.
const onLinux = test.skipIf(process.platform !== 'linux')
const elsewhere = '127.0.0.2'
const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

onLinux('a flood from one address leaves room for the others, on every service', async () => {
  const limits = { CAIRN_MAX_CONNECTIONS: '40', CAIRN_MAX_CONNECTIONS_PER_ADDRESS: '20' }
  await using network = await createTestNetwork(limits, 'none', 20, 1)
  const { profile, keys, providers } = network
  const urls = [profile.api, profile.gateway, keys.router.url, keys.nodes[0]?.url, providers[0]?.url]
  for (const url of urls) {
    if (url === undefined) throw new Error('a part of the network is missing')
    const flood = Array.from({ length: 60 }, () => hold(url, 'GET / HTTP/1.1\r\n'))
    const open = new Set(flood)
    for (const held of flood) held.closed.finally(() => open.delete(held)).catch(() => undefined)
    while (open.size > 20) await Promise.race([...open].map(({ closed }) => closed))
    const other = hold(url, health, elsewhere)
    await other.closed
    expect(other.answer()).toMatch(/^HTTP\/1\.1 (?:200|404) /)
    // The rest is held by the address that may hold this many, and no more; parts of the network also call each other from it.
    expect(open.size).toBeGreaterThanOrEqual(15)
    const same = hold(url, health)
    await same.closed
    expect(same.answer()).toBe('')
    for (const { socket, closed } of flood) {
      socket.destroy()
      await closed
    }
  }
  const metrics = await (await fetch(network.storage.metricsUrl ?? '')).text()
  expect(Number(/^cairn_refused_connections_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(2 * 41)
})

onLinux('requests that a trusted proxy passes on count by the address it forwards', async () => {
  await using network = await createTestNetwork({
    CAIRN_TRUSTED_PROXIES: '127.0.0.1',
    CAIRN_MAX_CONNECTIONS: '100',
    CAIRN_MAX_CONNECTIONS_PER_ADDRESS: '3',
  })
  const { api } = network.profile
  const { apiKey } = await createTestKey(network)
  const from = (address: string) =>
    hold(api, uploadHead(apiKey, `Content-Length: 5000\r\nX-Forwarded-For: ${address}`) + filePart('a'))
  const first = Array.from({ length: 3 }, () => from('203.0.113.1'))
  // An address that the service has not counted yet would let the fourth pass.
  const fourth = from('203.0.113.1')
  await until(fourth, '"OVERLOADED"')
  expect(fourth.answer()).toMatch(/^HTTP\/1\.1 503 /)
  const other = hold(
    api,
    uploadHead(apiKey, `Content-Length: 160\r\nX-Forwarded-For: 203.0.113.2`) + filePart('b').padEnd(160, 'x'),
  )
  await until(other, 'HTTP/1.1 400')
  for (const { socket } of [...first, fourth, other]) socket.destroy()
})

onLinux('300 slow senders do not keep others from a service that may open 256 files', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-files-'))
  const storage = await startStorageProcess(home, { CAIRN_BODY_TIMEOUT_SECONDS: '3600' }, { fileLimit: 256 })
  try {
    const { apiKey } = await createTestKey({ profile: storage })
    const flood = Array.from({ length: 300 }, () => drip(storage.api, jsonHead('/api/auth/nonce')))
    const readers = Array.from({ length: 300 }, () => hold(storage.gateway, 'GET / HTTP/1.1\r\n'))
    const open = new Set([...flood, ...readers])
    for (const held of open) held.closed.finally(() => open.delete(held)).catch(() => undefined)
    // With 256 files: 32 for each of two listeners, a quarter of them for one address.
    while (open.size > 16) await Promise.race([...open].map(({ closed }) => closed))
    const body = `${filePart('kept')}content${uploadEnd}`
    const upload = hold(storage.api, uploadHead(apiKey, `Content-Length: ${body.length}`) + body, elsewhere)
    await until(upload, '"Hash"')
    const cid = /"Hash":"(\w+)"/.exec(upload.answer())?.[1]
    const download = hold(
      storage.gateway,
      `GET /ipfs/${cid} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      elsewhere,
    )
    await download.closed
    expect(download.answer()).toMatch(/content$/)
    // They held the maximum of one address all the time.
    expect(open.size).toBeGreaterThan(10)
    upload.socket.destroy()
    for (const { socket } of open) socket.destroy()
  } finally {
    await storage.kill()
    await rm(home, { recursive: true, force: true })
  }
})
