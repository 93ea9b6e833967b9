import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { patternedBytes } from './file-tree.ts'
import { type Kubo, startKubo } from './kubo.ts'

let kubo: Kubo
let network: TestNetwork
beforeAll(async () => {
  kubo = await startKubo()
  // The content comes from Kubo's own gateway.
  network = await createTestNetwork({ CAIRN_PIN_GATEWAYS: kubo.gatewayUrl })
  const { apiKey } = await createTestKey(network)
  const { endpoint = '' } = network.profile.pinning ?? {}
  await kubo.run(['pin', 'remote', 'service', 'add', 'cairn', endpoint, apiKey])
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await kubo?.[Symbol.asyncDispose]()
})

const remote = async (command: string, ...args: string[]) =>
  (await kubo.run(['pin', 'remote', command, '--service=cairn', ...args])).toString()

describe("Kubo's program with the Pinning Service API", () => {
  it('pins what Kubo has, lists it by state, name and CID, and removes it', async () => {
    const content = Buffer.concat([...patternedBytes(900_000, 71)])
    const cid = (await kubo.run(['add', '-Q', '--cid-version=1'], content)).toString().trim()
    // It waits until the pin is stored.
    expect(await remote('add', '--name=from Kubo', cid)).toBe(`CID:    ${cid}\nName:   from Kubo\nStatus: pinned\n`)
    expect(await remote('ls')).toBe(`${cid}\tpinned\tfrom Kubo\n`)
    expect(await remote('ls', `--cid=${cid}`, '--name=from Kubo')).toContain(cid)
    expect(await remote('ls', '--name=another')).toBe('')
    const read = await fetch(`${network.profile.gateway}/ipfs/${cid}`)
    expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true)
    const stat = (await kubo.run(['pin', 'remote', 'service', 'ls', '--stat'])).toString()
    expect(stat.trim()).toMatch(/^cairn +http:\/\/127\.0\.0\.1:\d+ +0\/0\/1\/0$/)
    await remote('rm', `--cid=${cid}`)
    expect(await remote('ls')).toBe('')
  })

  it('receives the reason of a failed pin', async () => {
    const unknown = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
    await kubo.run(['pin', 'remote', 'service', 'add', 'wrong', network.profile.api, 'wrong-key'])
    const failure = kubo.run(['pin', 'remote', 'add', '--service=wrong', unknown])
    await expect(failure).rejects.toThrow(/UNAUTHENTICATED/)
  })
})
