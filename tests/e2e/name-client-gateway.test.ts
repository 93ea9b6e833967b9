// What the SDK publishes under a name, read at the gateway by the name.
import { createClient, createName, createNameKey, publishName, publishSigned, uploadFolder } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

async function read(path: string): Promise<string> {
  const answer = await fetch(`${network.profile.gateway}/ipns/${path}`)
  expect(answer.status).toBe(200)
  return answer.text()
}

test('serves a folder, a path into it and a name that points to it, wherever the key is kept', async () => {
  const client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  const { cid } = await uploadFolder(client, [{ path: 'a/b.txt', content: 'below' }])
  const [held, around] = [await createName(client), await createName(client)]
  const key = await createNameKey()
  await publishName(client, held.name, cid)
  await publishName(client, around.name, `/ipns/${held.name}/a`)
  await publishSigned(createClient({ network: network.profile }), key, around.name)
  expect(await read(`${held.name}/a/b.txt`)).toBe('below')
  expect(await read(`${around.name}/b.txt`)).toBe('below')
  expect(await read(`${key.name}/b.txt`)).toBe('below')
})

test('a new publication is readable at once', async () => {
  const client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  const { name } = await createName(client)
  for (const content of ['one', 'two', 'three']) {
    const { cid } = await uploadFolder(client, [{ path: 'x', content }])
    await publishName(client, name, cid)
    expect(await read(`${name}/x`)).toBe(content)
  }
})
