// The lines of docs/how-to/ipfs-network.md, run as printed on a real Kubo.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, createName, publishName, uploadBytes } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { patternedBytes } from './file-tree.ts'
import { startKubo } from './kubo.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/ipfs-network.md'), 'utf8')

/** The lines of the page's one shell block that contains this text. */
function readLines(part: string): string[] {
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text = '']) => text)
  const [block, ...more] = blocks.filter((text) => text.includes(part))
  if (block === undefined || more.length > 0)
    throw new Error(`the page has ${more.length} blocks too many with ${part}`)
  return block.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
}

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
})

test('a Kubo set up as on the page reads, pins and resolves what this network stores', async () => {
  const { apiKey } = await createTestKey(network)
  const client = createClient({ network: network.profile, apiKey })
  const content = Uint8Array.from(Buffer.concat([...patternedBytes(3_000_000, 11)]))
  const { cid } = await uploadBytes(client, content)
  const { name } = await createName(client)
  await publishName(client, name, cid)

  const setup = readLines('ipfs daemon')
  expect(setup.pop()).toBe('ipfs daemon')
  const configLines = setup.join('\n').replaceAll('http://127.0.0.1:8080', network.profile.api)
  await using kubo = await startKubo({ isOnline: true, configLines })

  const printed: Buffer[] = []
  for (const line of readLines('ipfs cat <cid>')) {
    const [program, ...args] = line.replace('<cid>', cid).replace('<name>', name).split(' ')
    expect(program).toBe('ipfs')
    printed.push(await kubo.run(args))
  }
  const [read, pinned, resolved] = printed
  expect(read?.equals(content)).toBe(true)
  expect(pinned?.toString()).toContain(`pinned ${cid} recursively`)
  expect(resolved?.toString()).toBe(`/ipfs/${cid}\n`)
})
