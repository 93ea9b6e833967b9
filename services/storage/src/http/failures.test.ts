import { expect, test } from 'vitest'
import { startTestStorage } from '../start-test-storage.fixture.ts'

/** The name of a key without any published record. */
const unknownName = 'k51qzi5uqu5dgutdk6i1ynyzgkqngpha5xpgia3a5qqp4jsh0u4csozksxel2r'

test('unknown names log one line without a stack, in any number of requests', async () => {
  await using storage = await startTestStorage()
  for (let i = 0; i < 5; i++) {
    expect((await fetch(`${storage.gatewayUrl}/ipns/${unknownName}`)).status).toBe(502)
    expect((await storage.call('/api/lighthouse/get_ticker?symbol=MOON')).status).toBe(503)
  }
  const lines = storage.log.map((line) => JSON.parse(line))
  const failures = lines.filter(({ level }) => level >= 40)
  expect(failures).toMatchObject([
    { level: 40, reason: expect.stringContaining('NAME_UNRESOLVED'), url: `/ipns/${unknownName}` },
    { level: 40, reason: expect.stringContaining('PRICE_UNKNOWN'), reqId: expect.any(String) },
  ])
  expect(storage.log.join('')).not.toContain('"stack"')
})

test('reports a body that is not JSON as the problem', async () => {
  await using storage = await startTestStorage()
  const send = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await storage.call('/api/auth/create_api_key', { method: 'POST', headers, body })).body
  }
  expect(await send('{bad')).toContain('The request is not valid: the body is not JSON')
  expect(await send('')).toContain('The request is not valid: body is required')
})
