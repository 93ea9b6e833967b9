import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { listenerOptions } from './listener.ts'

test('the address of a client is the last one that does not belong to a trusted proxy', async () => {
  const limits = { trustedProxies: ['127.0.0.1', '10.0.0.9'], bodyTimeoutMs: 1_000 }
  await using app = Fastify(
    listenerOptions({ ...limits, maxConnections: undefined, maxConnectionsPerAddress: undefined }),
  )
  app.get('/', ({ ip }) => ip)
  const readIp = async (forwarded: string) =>
    (await app.inject({ url: '/', remoteAddress: '127.0.0.1', headers: { 'x-forwarded-for': forwarded } })).body
  // A router forwards its client, and the proxy behind it adds the address of the router.
  expect(await readIp('198.51.100.7, 10.0.0.9')).toBe('198.51.100.7')
  // A client that claims to be another one, or the router, is still itself.
  expect(await readIp('203.0.113.1, 198.51.100.7')).toBe('198.51.100.7')
  expect(await readIp('203.0.113.1, 10.0.0.9, 198.51.100.7')).toBe('198.51.100.7')
})
