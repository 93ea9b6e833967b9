import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { migrations } from '../db/database.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

/** A pin, as the Pinning Service API returns it. */
export type Status = {
  requestid: string
  status: string
  created: string
  pin: { cid: string; name?: string; origins?: string[]; meta?: Record<string, string> }
  delegates: string[]
  info: Record<string, string>
}
export type Answer<T> = { status: number; headers: Headers; json: T }

/** Settings of a service that may fetch from this machine. */
export const settings = {
  CAIRN_PIN_PRIVATE_ORIGINS: 'on',
  CAIRN_FREE_BYTES: String(2 * 1024 * 1024),
  CAIRN_RATE_FACTOR: '0',
}

/** A service, the account of the current test, and another service that has content. */
export type PinSubject = {
  readonly storage: TestStorage
  readonly origin: TestStorage
  readonly originKey: string
  /** Calls the API as the account of the test, or with another key. */
  call<T>(path: string, method?: string, body?: unknown, by?: string): Promise<Answer<T>>
  /** Pins content, and returns the answer. */
  pin(body: unknown): Promise<Status>
  get(id: string): Promise<Status>
  /** Waits until a pin has one of these states. */
  until(id: string, ...wanted: string[]): Promise<Status>
  /** Lets each pause between tries pass, until the pin has failed. */
  untilFailed(id: string): Promise<Status>
  usage(): Promise<number>
  filesOf(): Promise<{ cid: string; fileName: string }[]>
}

/**
 * Describes tests of pins on each database of this run, whose kind replaces `%s` in the title.
 * @param tests gets a function that returns the subject of the current test
 */
export function describePins(title: string, tests: (subject: () => PinSubject) => void): void {
  let origin: TestStorage
  let originKey: string
  let postgres: PostgresFixture
  beforeAll(async () => {
    postgres = await startPostgres(migrations)
    origin = await startTestStorage()
    originKey = await origin.createKey()
  })
  afterAll(async () => {
    await origin?.[Symbol.asyncDispose]()
    await postgres?.stop()
  })
  describe.each(databaseKinds)(title, (kind) => {
    let storage: TestStorage
    let subject: PinSubject
    beforeAll(async () => {
      const database = kind === 'sqlite' ? {} : { CAIRN_DATABASE_URL: await postgres.createDatabase() }
      storage = await startTestStorage({ ...settings, ...database })
    })
    afterAll(() => storage?.[Symbol.asyncDispose]())
    beforeEach(async () => {
      subject = createSubject({ storage, key: await storage.createKey(), origin, originKey })
    })
    tests(() => subject)
  })
}

function createSubject({
  storage,
  key,
  origin,
  originKey,
}: Pick<PinSubject, 'storage' | 'origin' | 'originKey'> & { key: string }): PinSubject {
  const call = async <T>(path: string, method = 'GET', body?: unknown, by = key): Promise<Answer<T>> => {
    const sent = body === undefined ? { method } : jsonBody(body, method)
    const answer = await storage.call(path, { ...sent, headers: { ...sent.headers, ...bearer(by).headers } })
    // Each test states the type that it reads.
    return { status: answer.status, headers: answer.headers, json: answer.json as T }
  }
  const pin = async (body: unknown): Promise<Status> => {
    const { status, json } = await call<Status>('/pins', 'POST', body)
    expect([status, json]).toMatchObject([202, { requestid: expect.any(String) }])
    return json
  }
  const get = async (id: string): Promise<Status> => (await call<Status>(`/pins/${id}`)).json
  const until = async (id: string, ...wanted: string[]): Promise<Status> => {
    await expect.poll(async () => (await get(id)).status, { interval: 100 }).toBeOneOf(wanted)
    return get(id)
  }
  const untilFailed = async (id: string): Promise<Status> => {
    await expect
      .poll(
        async () => {
          storage.pass(60_000)
          return (await get(id)).status
        },
        { interval: 100 },
      )
      .toBe('failed')
    return get(id)
  }
  const usage = async () => (await call<{ dataUsed: number }>('/api/user/user_data_usage')).json.dataUsed
  const filesOf = async () =>
    (await call<{ fileList: { cid: string; fileName: string }[] }>('/api/user/files_uploaded')).json.fileList
  return { storage, origin, originKey, call, pin, get, until, untilFailed, usage, filesOf }
}

/** Stores files at a service; several of them as one folder. Returns the CID. */
export async function add(
  to: TestStorage,
  by: string,
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const body = new FormData()
  for (const [name, content] of Object.entries(files)) body.append('file', new Blob([content]), name)
  const { json } = await to.call('/api/v0/add', { method: 'POST', headers: bearer(by).headers, body })
  return (json as { Hash: string }).Hash
}

/** Returns the multiaddr of a gateway on this machine. */
export const multiaddrOf = (url: string) => `/ip4/127.0.0.1/tcp/${new URL(url).port}/http`

/** Returns the response of another server. */
export const passOn = (response: ServerResponse) => async (answer: Response) => {
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

/** A server with responses set by the test. */
export async function serve(listener: RequestListener): Promise<AsyncDisposable & { url: string; server: Server }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
