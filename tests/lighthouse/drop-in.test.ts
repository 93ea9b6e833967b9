// The drop-in and the published modules side by side: exports, messages, and frequency of progress.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signMessage } from '@cairn/sdk'
import * as ourKavach from '@cairn/sdk/kavach'
import * as dropIn from '@cairn/sdk/lighthouse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

type Sdk = {
  upload(
    path: string,
    apiKey: string,
    version: number,
    onProgress: (step: { progress: number }) => void,
  ): Promise<unknown>
  uploadCAR(path: string, apiKey: string): Promise<unknown>
  decryptFile(cid: string, key: string): Promise<unknown>
  dealStatus(cid: string): Promise<unknown>
  getQuote(path: string, apiKey: string): Promise<unknown>
  getUploads(apiKey: string): Promise<unknown>
  getAccessConditions(cid: string): Promise<unknown>
}
type Config = Record<string, unknown>

const require = createRequire(import.meta.url)
const published: Record<string, unknown> & { default: Sdk } = require('@lighthouse-web3/sdk')
const older: Record<string, unknown> = require('lighthouse-sdk-0.4.3')
const kavach: Record<string, unknown> = require('kavach-0.2.1')
const {
  lighthouseConfig: publishedConfig,
}: { lighthouseConfig: Config } = require('@lighthouse-web3/sdk/dist/lighthouse.config.js')
const unknownCid = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'

let network: TestNetwork
let apiKey = ''
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  ;({ apiKey } = await createTestKey(network))
  folder = mkdtempSync(join(tmpdir(), 'cairn-drop-in-'))
  const { api, upload, gateway } = network.profile
  const hosts = { lighthouseAPI: api, lighthouseNode: upload, lighthouseGateway: gateway }
  Object.assign(dropIn.lighthouseConfig, hosts, { lighthouseAuthNode: network.keys?.router.url })
  Object.assign(publishedConfig, hosts, { lighthouseBLSNode: network.keys?.router.url })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await network?.[Symbol.asyncDispose]()
})

test('has every published name, as a named and in the default export', () => {
  for (const module of [published, older]) {
    const names = Object.keys(module).filter((name) => name !== 'default')
    expect(Object.keys(dropIn)).toEqual(expect.arrayContaining(names))
    expect(Object.keys(dropIn.default)).toEqual(expect.arrayContaining(names))
  }
  const names = Object.keys(kavach).filter((name) => name !== 'default')
  expect(Object.keys(ourKavach)).toEqual(expect.arrayContaining(names))
  expect(Object.keys(ourKavach.default).sort()).toEqual(names.sort())
})

test('functions about Walrus reject calls, and name the replacement', async () => {
  await expect(dropIn.walrusBlobs(unknownCid)).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
    message: 'There is no walrus backend',
    hint: 'Use `dealStatus` to find out where a CID is stored.',
  })
  await expect(dropIn.default.deleteFileWalrus(apiKey, 'x')).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
    hint: 'Use `deleteFile` to delete a file.',
  })
})

test('each chain is an entry of the configuration with the published fields, one with those of networks', () => {
  const { lighthouseConfig: ours } = dropIn
  for (const [name, entry] of Object.entries(publishedConfig)) {
    if (typeof entry !== 'object' || entry === null) continue
    const mine: unknown = Reflect.get(ours, name)
    expect(mine, name).toMatchObject({
      symbol: expect.any(String),
      rpc: expect.any(String),
      chain_id: expect.any(String),
    })
    expect(mine).toHaveProperty('lighthouse_contract_address')
  }
  expect(Object.keys(ours)).toContain('polygon')
  const before = ours.polygon
  ours.polygon.lighthouse_contract_address = '0x01'
  expect(ours.networks['polygon']?.lighthouse_contract_address).toBe('0x01')
  ours.polygon = { ...before, lighthouse_contract_address: '' }
  expect(ours.networks['polygon']?.lighthouse_contract_address).toBe('')
  expect(ours.network).toBe(publishedConfig['network'])
})

const failures: [string, (sdk: Sdk) => Promise<unknown>][] = [
  ['dealStatus', (sdk) => sdk.dealStatus('')],
  ['getUploads', (sdk) => sdk.getUploads('nonsense')],
  ['getQuote', (sdk) => sdk.getQuote(join(folder, 'small.car'), 'nonsense')],
  ['getAccessConditions', (sdk) => sdk.getAccessConditions(unknownCid)],
  ['decryptFile', (sdk) => sdk.decryptFile('bafynot', '0'.repeat(64))],
  ['upload', (sdk) => sdk.upload(join(folder, 'small.car'), 'nonsense', 1, () => undefined)],
  ['uploadCAR', (sdk) => sdk.uploadCAR(join(folder, 'small.car'), apiKey)],
]
test.each(failures)('%s fails with the published message, and our error in hint and cause', async (_name, fail) => {
  writeFileSync(join(folder, 'small.car'), 'no CAR at all')
  const messageOf = (sdk: Sdk) =>
    fail(sdk).then(
      () => expect.fail('it did not fail'),
      (error: unknown) => error,
    )
  const theirs = await messageOf(published.default)
  const ours = await messageOf(dropIn.default)
  expect(ours).toMatchObject({ message: theirs instanceof Error ? theirs.message : theirs, name: 'CairnError' })
  const { cause, hint } = ours as { cause: { code: string; message: string }; hint: string }
  expect(cause.code).toBe((ours as { code: string }).code)
  expect(hint).toContain(cause.message.replace(/\.$/, ''))
})

test('rejects a duplicate name with its own text, before anything is sent', async () => {
  const twice = [new File(['a'], 'same.txt'), new File(['b'], 'same.txt')]
  await expect(dropIn.upload(twice, apiKey)).rejects.toMatchObject({
    code: 'DUPLICATE_NAME',
    message: expect.stringContaining('Duplicate file name found'),
  })
  await expect(dropIn.upload(twice.slice(1), 'nonsense')).rejects.toMatchObject({
    message: 'Error: Request failed with status code 401',
  })
})

test('the router has both published names', () => {
  const { lighthouseConfig: ours } = dropIn
  const before = ours.lighthouseAuthNode
  ours.lighthouseBLSNode = 'http://127.0.0.1:1'
  expect(ours.lighthouseAuthNode).toBe('http://127.0.0.1:1')
  ours.lighthouseAuthNode = before
  expect(ours.lighthouseBLSNode).toBe(before)
})

test('takes null for the options, and a callback instead of them', async () => {
  const path = join(folder, 'null.bin')
  writeFileSync(path, randomBytes(1000))
  const upload = (...values: unknown[]): Promise<unknown> => Reflect.apply(dropIn.upload, undefined, values)
  const steps: unknown[] = []
  await upload(path, apiKey, null, (step: unknown) => steps.push(step))
  expect(steps.at(-1)).toEqual({ progress: 100 })
  await upload(path, apiKey, (step: unknown) => steps.splice(0, steps.length, step, 'again'))
  expect(steps).toEqual([{ progress: 100 }, 'again'])
})

test('rejects content that has no bytes', async () => {
  for (const name of ['uploadBuffer', 'uploadText', 'textUploadEncrypted']) {
    const upload: (...values: unknown[]) => Promise<unknown> = Reflect.get(dropIn, name)
    for (const value of [{ name: 'an object' }, 5, undefined])
      await expect(upload(value, apiKey)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: 'The content must be a text, bytes or a Blob',
      })
  }
})

test('posdi has the published message for every status 400, and our code', async () => {
  const { lighthouseConfig: config } = require('lighthouse-sdk-0.4.3/dist/lighthouse.config.js')
  config.lighthouseAPI = network.profile.api
  const codes = { [unknownCid]: 'PROOF_NOT_FOUND', nope: 'INVALID_CID', '': 'INVALID_CID' }
  for (const [cid, code] of Object.entries(codes)) {
    await expect(dropIn.posdi(cid)).rejects.toMatchObject({ code, message: "Proof Doesn't exist yet" })
    await expect(Reflect.apply(older['posdi'] as () => unknown, undefined, [cid])).rejects.toThrow(
      "Proof Doesn't exist yet",
    )
  }
})

test('takes null for no recipients, and names what is wrong with conditions, shards and names', async () => {
  const { privateKey, address } = await createTestKey(network)
  const { message } = await ourKavach.getAuthMessage(address)
  const { JWT } = await ourKavach.getJWT(address, signMessage(privateKey, message ?? ''))
  const { keyShards } = await ourKavach.generate()
  const token = JWT ?? ''
  expect(await ourKavach.saveShards(address, unknownCid, token, keyShards, null)).toEqual({
    isSuccess: true,
    error: null,
  })
  const set = (...given: unknown[]) =>
    Reflect.apply(ourKavach.accessControl, undefined, [address, unknownCid, token, ...given])
  for (const conditions of [null, undefined, 'x']) {
    expect(await set(conditions)).toMatchObject({
      isSuccess: false,
      error: { code: 'INVALID_CONDITION', message: 'Condition validation error: "conditions" must be an array' },
    })
  }
  expect(await set([], undefined, 'evm', null)).toMatchObject({
    isSuccess: false,
    error: { message: 'keyShards must be an array of 5 objects' },
  })
  expect(await set([])).toEqual({ isSuccess: true, error: null })
  await expect(Reflect.apply(dropIn.uploadText, undefined, ['x', apiKey, 5])).rejects.toMatchObject({
    code: 'INVALID_PATH',
  })
})

test('reports progress as often as the published SDK, ending with 100', async () => {
  const path = join(folder, 'three.bin')
  writeFileSync(path, randomBytes(3_000_000))
  const stepsOf = async (sdk: Sdk) => {
    const steps: number[] = []
    await sdk.upload(path, apiKey, 1, ({ progress }) => steps.push(progress))
    return steps
  }
  const [theirs, ours] = [await stepsOf(published.default), await stepsOf(dropIn.default)]
  expect(theirs.length).toBeGreaterThan(40)
  expect(ours.length).toBeGreaterThanOrEqual(theirs.length)
  expect(ours.at(-1)).toBe(100)
  expect(ours.toSorted((a, b) => a - b)).toEqual(ours)
})
