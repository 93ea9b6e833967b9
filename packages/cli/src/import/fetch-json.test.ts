import * as v from 'valibot'
import { expect, test } from 'vitest'
import { fetchJson } from './fetch-json.ts'
import { serveAnswers } from './serve-answers.fixture.ts'

const schema = v.object({ rows: v.array(v.string()) })
const { signal } = new AbortController()

const fetchRows = (url: string, used = signal) => fetchJson(new URL(url), 'token', schema, used)

test('waits as a busy service asks', async () => {
  await using server = await serveAnswers((response, _path, count) => {
    if (count < 4) response.writeHead(count === 1 ? 429 : 503, { 'retry-after': '0' }).end()
    else response.end('{"rows":["a"]}')
  })
  expect(await fetchRows(server.url)).toEqual({ rows: ['a'] })
  expect(server.requestCount()).toBe(4)
})

test('sends a busy service at most four requests', async () => {
  await using server = await serveAnswers((response) => response.writeHead(500, { 'retry-after': '0' }).end())
  await expect(fetchRows(server.url)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  expect(server.requestCount()).toBe(4)
})

test.each([
  ['a key that is rejected', 401, '', 'UNAUTHENTICATED', /rejected the key/],
  ['a page that is not found', 404, '', 'UPSTREAM_FAILED', /returned status 404/],
  ['a request that the service does not know', 501, '', 'UPSTREAM_FAILED', /returned status 501/],
  ['a text', 200, 'Hello', 'UPSTREAM_FAILED', /did not send a list in JSON/],
  ['another list', 200, '{"rows":[7]}', 'UPSTREAM_FAILED', /without a valid "rows.0"/],
] as const)('reports %s after one request', async (_name, status, body, code, message) => {
  await using server = await serveAnswers((response) => response.writeHead(status).end(body))
  await expect(fetchRows(server.url)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  expect(server.requestCount()).toBe(1)
})

test('reads no more than 16 MiB of a list', async () => {
  await using server = await serveAnswers((response) => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const write = () => {
      while (response.write(piece)) {}
      response.once('drain', write)
    }
    write()
  })
  await expect(fetchRows(server.url)).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
    message: expect.stringMatching(/more than 16777216 bytes/),
  })
})

test('a closed connection is a failure of the service, and a cancelled import is not', async () => {
  await using server = await serveAnswers((response) => response.write('{', () => response.destroy()))
  await expect(fetchRows(server.url)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  await expect(fetchRows(server.url, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' })
})
