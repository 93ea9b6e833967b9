import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AddressInfo, Server } from 'node:net'
import { expect, test } from 'vitest'
import { startTestStorage } from './start-test-storage.fixture.ts'

test('the API listens last, when the addresses that its calls return are known', async () => {
  const ports: number[] = []
  const note = (message: unknown) => {
    const { server } = message as { server: Server }
    ports.push((server.address() as AddressInfo).port)
  }
  subscribe('tracing:net.server.listen:asyncEnd', note)
  try {
    await using storage = await startTestStorage({ CAIRN_S3_API_PORT: '0' })
    const opened = [storage.gatewayUrl, storage.profile.s3?.endpoint ?? '', storage.apiUrl]
    expect(ports.slice(-opened.length)).toEqual(opened.map((url) => Number(new URL(url).port)))
  } finally {
    unsubscribe('tracing:net.server.listen:asyncEnd', note)
  }
})
