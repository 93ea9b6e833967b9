import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { whenClosed } from './when-closed.ts'

test('acts when a response closes, and at once if it closed before', async () => {
  await using server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = request({ port: (server.address() as AddressInfo).port })
  sent.on('error', () => undefined).end()
  const [, response]: [unknown, ServerResponse] = await new Promise((resolve) =>
    server.once('request', (incoming, answer) => resolve([incoming, answer])),
  )
  const closed: string[] = []
  whenClosed(response, () => closed.push('watched'))
  expect(closed).toEqual([])
  sent.destroy()
  await once(response, 'close')
  expect(closed).toEqual(['watched'])
  whenClosed(response, () => closed.push('late'))
  expect(closed).toEqual(['watched', 'late'])
})
