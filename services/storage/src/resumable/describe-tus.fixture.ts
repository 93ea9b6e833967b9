import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type IncomingMessage, request } from 'node:http'
import { MIB, tusBodyType } from '@cairn/protocol'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { createTus } from './tus.fixture.ts'

/** A service, an account with a tus client, and ways to break off and continue its uploads. */
export type TusWorld = ReturnType<typeof createTus> & {
  readonly storage: TestStorage
  /** Address of the account. */
  readonly address: string
  /** Settings of the service, for others like it. */
  readonly settings: Record<string, string>
  /** API key of the client; a test may replace it. */
  key: string
  /** Sends a PATCH that announces `length` bytes, and aborts once the service, which runs in this process, has read `bytes`. */
  breakOff(path: string, offset: number, length: number, bytes: Uint8Array): Promise<void>
  /** Queries the offset and sends the rest, until no other writer is active. */
  goOn(path: string, bytes: Uint8Array, at?: TestStorage): Promise<number>
}

/**
 * Describes tests of uploads in parts on each database of this run, whose kind replaces `%s` in the title.
 * @param tests gets a function that returns the world of the current test
 * @param changes settings of the service that differ from those of most tests
 */
export function describeTus(
  title: string,
  tests: (world: () => TusWorld) => void,
  changes: Record<string, string> = {},
): void {
  describeOnDatabases(title, (newDatabase) => {
    const account = privateKeyToAccount(generatePrivateKey())
    const address = account.address.toLowerCase()
    let world: TusWorld
    beforeEach(async () => {
      const settings = {
        CAIRN_FREE_BYTES: String(64 * MIB),
        CAIRN_OPEN_UPLOADS: '3',
        ...(await newDatabase()),
        ...changes,
      }
      const storage = await startTestStorage(settings)
      const tus = createTus(() => ({ storage, key: world.key, address }))
      world = {
        ...tus,
        storage,
        address,
        settings,
        key: await storage.createKey(account),
        breakOff: (path, offset, length, bytes) => breakOff(world, path, offset, length, bytes),
        goOn: (path, bytes, at = storage) => goOn(world, path, bytes, at),
      }
    })
    afterEach(() => world.storage[Symbol.asyncDispose]())
    tests(() => world)
  })
}

/** Inspects until the value is the wanted one, and returns it. */
export async function until<T>(inspect: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const found = await vi.waitUntil(
    async () => {
      const value = await inspect()
      return wanted(value) && { value }
    },
    { interval: 20, timeout: 60_000 },
  )
  return found.value
}

async function breakOff(
  { storage, key }: TusWorld,
  path: string,
  offset: number,
  length: number,
  bytes: Uint8Array,
): Promise<void> {
  let reading: IncomingMessage | undefined
  const watch = (message: unknown) => {
    const { request: begun } = message as { request: IncomingMessage }
    if (begun.method === 'PATCH' && begun.url === path) reading = begun
  }
  subscribe('http.server.request.start', watch)
  try {
    const { hostname, port } = new URL(storage.apiUrl)
    const sending = request({
      hostname,
      port,
      path,
      // Its own connection: the bytes read from it belong to this request.
      agent: false,
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${key}`,
        'tus-resumable': '1.0.0',
        'upload-offset': String(offset),
        'content-type': tusBodyType,
        'content-length': String(length),
      },
    })
    sending.on('error', () => undefined)
    const closed = new Promise((resolve) => sending.on('close', resolve))
    sending.write(bytes)
    await expect.poll(() => reading?.socket.bytesRead).toBeGreaterThan(bytes.length)
    sending.destroy()
    await closed
  } finally {
    unsubscribe('http.server.request.start', watch)
  }
}

function goOn({ head, patch }: TusWorld, path: string, bytes: Uint8Array, at: TestStorage): Promise<number> {
  return until(
    async () => {
      const { offset } = await head(path)
      return (await patch(path, offset, bytes.subarray(offset), at)).status
    },
    (status) => {
      expect([204, 409, 423]).toContain(status)
      return status === 204
    },
  )
}
