// Programs without types pass what they did not find, such as `result.CID`: the error says what is missing.
import { expect, test } from 'vitest'
import {
  CairnError,
  changeFolder,
  createApiKey,
  createClient,
  createGatewayLink,
  createWebhook,
  downloadBytes,
  downloadCar,
  downloadFile,
  explainAccess,
  exportName,
  getName,
  getQuote,
  inspectLink,
  inspectUploadLink,
  listDirectory,
  openFile,
  openKeySession,
  openLink,
  pay,
  publishName,
  removeConditions,
  resolveName,
  retireKey,
  revokeAccess,
  setConditions,
  shareFile,
  signIn,
  transferFile,
  verifyStorage,
  verifyWebhook,
} from './index.ts'

// A port that refuses all connections.
const url = 'http://127.0.0.1:1'
const payment = { paymentContract: `0x${'1'.repeat(40)}`, tokens: {} }
const chain = { name: 'local', rpcUrl: url, chainId: 31337, symbol: 'ETH', nativeDecimals: 18, ...payment }
const network = { name: 't', api: url, upload: url, gateway: url, chain }
const client = createClient({ network, apiKey: 'key' })
const signer = { privateKey: '1'.repeat(64) }
const name = 'k51qzi5uqu5dgjoxn9qfpak5swwjbxwrn8ywf7zuytowbiooee490s5myyz0xl'

test('the body of a webhook that a framework has parsed is named as such', async () => {
  for (const payload of [undefined, { type: 'upload.stored' }, 5])
    await expect(Reflect.apply(verifyWebhook, undefined, [payload, {}, 'whsec_AAAA'])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'The payload must be the unchanged body of the request, as a text or bytes',
    })
})

test.each(['0', 'f'])(
  'a private key of 64 times %s, which no wallet has, is refused before a payment',
  async (digit) => {
    const signer = { privateKey: digit.repeat(64) }
    await expect(pay(client, signer, { units: 1n })).rejects.toMatchObject({ code: 'INVALID_PRIVATE_KEY' })
  },
)

test('a client without a profile is refused', () => {
  for (const options of [
    undefined,
    {},
    { network: undefined },
    { network: Promise.resolve(network) },
    { network: url },
  ])
    expect(() => Reflect.apply(createClient, undefined, [options])).toThrow(
      expect.objectContaining({ code: 'NO_NETWORK' }),
    )
})

const value = '/ipfs/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

test.each<[string, (value: unknown) => unknown]>([
  ['INVALID_CID', (cid) => Reflect.apply(downloadBytes, undefined, [client, cid])],
  ['INVALID_CID', (cid) => Reflect.apply(downloadFile, undefined, [client, cid, 'target'])],
  ['INVALID_CID', (cid) => Reflect.apply(downloadCar, undefined, [client, cid]).next()],
  ['INVALID_CID', (cid) => Reflect.apply(openFile, undefined, [client, cid])],
  ['INVALID_CID', (cid) => Reflect.apply(listDirectory, undefined, [client, cid]).next()],
  ['INVALID_CID', (cid) => Reflect.apply(changeFolder, undefined, [client, cid, { remove: ['a'] }])],
  ['INVALID_CID', (cid) => Reflect.apply(createGatewayLink, undefined, [client, cid])],
  ['INVALID_CID', (cid) => Reflect.apply(verifyStorage, undefined, [client, cid])],
  ['INVALID_NAME', (given) => Reflect.apply(getName, undefined, [client, given])],
  ['INVALID_NAME', (given) => Reflect.apply(exportName, undefined, [client, given])],
  ['INVALID_NAME', (given) => Reflect.apply(resolveName, undefined, [client, given])],
  ['INVALID_NAME', (given) => Reflect.apply(publishName, undefined, [client, given, value])],
  ['INVALID_NAME_VALUE', (given) => Reflect.apply(publishName, undefined, [client, name, given])],
  ['INVALID_REQUEST', (link) => Reflect.apply(inspectLink, undefined, [client, link])],
  ['INVALID_REQUEST', (link) => Reflect.apply(openLink, undefined, [client, link])],
  ['INVALID_REQUEST', (link) => Reflect.apply(inspectUploadLink, undefined, [link])],
  ['INVALID_PRIVATE_KEY', (wallet) => Reflect.apply(createApiKey, undefined, [client, wallet])],
  ['INVALID_PRIVATE_KEY', (wallet) => Reflect.apply(openKeySession, undefined, [client, wallet])],
  ['INVALID_PRIVATE_KEY', (wallet) => Reflect.apply(signIn, undefined, [client, wallet])],
  ['INVALID_PRIVATE_KEY', (wallet) => Reflect.apply(pay, undefined, [client, wallet, { units: 1n }])],
])('%s: %s', async (code, call) => {
  for (const wrong of [undefined, null, 5]) await expect(call(wrong)).rejects.toMatchObject({ code })
})

const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

test.each<[string, (...args: never[]) => Promise<unknown>, unknown[]]>([
  ['INVALID_REQUEST: Specify the bytes to buy, or an amount', pay, [signer, undefined]],
  ['INVALID_REQUEST: The amount must be a bigint greater than zero', pay, [signer, { units: 5 }]],
  ['INVALID_CONDITION: Condition validation error: "conditions" must be an array', setConditions, [cid, undefined]],
  ['NO_FILE: Nothing to add or remove', changeFolder, [cid, undefined]],
  ['FILE_UNREADABLE: The path is empty', getQuote, [undefined]],
  // It asks the service, which says that a URL is required.
  ['NETWORK_ERROR: Network error', createWebhook, [undefined]],
])('%s: %o', async (text, call, args) => {
  const error: unknown = await Reflect.apply(call, undefined, [client, ...args]).catch((reason: unknown) => reason)
  expect(CairnError.is(error) && `${error.code}: ${error.message}`).toBe(text)
})

test.each([shareFile, revokeAccess, transferFile, removeConditions, explainAccess, retireKey])(
  '%o without a session rejects and does not throw, so that `catch` of its promise sees the error',
  async (call) => {
    const error: unknown = await Reflect.apply(call, undefined, [client, 'cid', []]).catch((reason: unknown) => reason)
    expect(CairnError.is(error, 'NO_SESSION')).toBe(true)
  },
)
