import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSessionKey } from '@cairn/crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../client.ts'
import { tokenFor } from './session.ts'

let renewalCount = 0
let answers = false
const server = createServer((_request, response) => {
  renewalCount++
  if (!answers) return
  const now = Date.now()
  response.setHeader('content-type', 'application/json')
  const renewed = { node: 1, token: 'new', refreshToken: 'x.z', expiresAt: now + 900_000, refreshExpiresAt: now + 9e8 }
  response.end(JSON.stringify(renewed))
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('retries a failed renewal; a caller that stops waiting does not stop others', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const part = {
    node: 1,
    token: 'old',
    refreshToken: 'x.y',
    expiresAt: Date.now() + 1000,
    refreshExpiresAt: Date.now() + 9e8,
  }
  const session = {
    address: `0x${'1'.repeat(40)}`,
    sessionKey: createSessionKey(),
    nodes: [part, null, null, null, null],
  }
  const network = {
    name: 'local',
    api: url,
    upload: url,
    gateway: url,
    keyRouter: url,
    keyNodes: [url, url, url, url, url],
  }
  const client = createClient({ network })
  const hurried = { ...client, callTimeoutMs: 300 }
  const stop = new AbortController()
  const left = tokenFor(hurried, session, 1, stop.signal)
  const stayed = tokenFor(hurried, session, 1)
  const outcomes = Promise.allSettled([left, stayed])
  stop.abort()
  const [gone, waited] = await outcomes
  expect(gone).toMatchObject({ status: 'rejected', reason: { code: 'ABORTED' } })
  expect(waited).toMatchObject({ status: 'rejected', reason: { code: 'TIMEOUT' } })
  answers = true
  const before = renewalCount
  expect(await tokenFor(client, session, 1)).toBe('new')
  expect(renewalCount).toBe(before + 1)
  expect(await tokenFor(client, session, 1)).toBe('new')
  expect(renewalCount).toBe(before + 1)
})
