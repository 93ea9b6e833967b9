import { gzipSync } from 'node:zlib'
import { errorTable } from '@cairn/protocol'
import { serviceErrors } from '@cairn/protocol/service-errors'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import * as door from './index.ts'

test('the public surface', () => {
  expect(Object.keys(door).sort()).toMatchInlineSnapshot(`
    [
      "CairnError",
      "authorizeOnce",
      "call",
      "cancelUpload",
      "challengeProvider",
      "changeFolder",
      "checksumAddress",
      "closeKeySession",
      "computeCid",
      "computeFolderCid",
      "createApiKey",
      "createClient",
      "createGatewayLink",
      "createHeldSessionKey",
      "createKeySet",
      "createLink",
      "createName",
      "createNameKey",
      "createResumable",
      "createS3Credentials",
      "createUploadLink",
      "createWallet",
      "createWebhook",
      "decryptBytes",
      "decryptFile",
      "decryptFolder",
      "decryptKeystore",
      "deleteFile",
      "derivePasskeyWallet",
      "downloadBytes",
      "downloadCar",
      "downloadFile",
      "encryptBlob",
      "encryptKeystore",
      "estimateDecryptedFolderSize",
      "estimateDecryptedSize",
      "eventTypes",
      "explainAccess",
      "explainConditions",
      "exportDrive",
      "exportEvents",
      "exportKey",
      "exportName",
      "exportNameKey",
      "extendKeySession",
      "findChain",
      "findConditions",
      "findThumbnails",
      "formatUnits",
      "getConditions",
      "getCopies",
      "getDecryptedSize",
      "getEgress",
      "getFileInfo",
      "getKey",
      "getKeyStatus",
      "getMessage",
      "getName",
      "getPayment",
      "getPrice",
      "getProofs",
      "getQuotaReport",
      "getQuote",
      "getS3Bucket",
      "getStatus",
      "getTickerPrice",
      "getUpload",
      "getUsage",
      "importNameKey",
      "inspectLink",
      "inspectNetwork",
      "inspectUploadLink",
      "isAnyCid",
      "isCid",
      "isCoin",
      "isContentPath",
      "isDriveKeyLost",
      "isEncrypted",
      "isFolder",
      "isPrivateKey",
      "iterateStream",
      "lackingNodes",
      "listApiKeys",
      "listChecks",
      "listDirectory",
      "listEvents",
      "listFiles",
      "listFilesPage",
      "listKeyEvents",
      "listKeyFiles",
      "listLinks",
      "listNameHistory",
      "listNames",
      "listPayments",
      "listUploadLinks",
      "listWebhookDeliveries",
      "listWebhooks",
      "listedConditions",
      "loadNetwork",
      "mapConditionFields",
      "networks",
      "normalizeAddress",
      "openDecrypted",
      "openDrive",
      "openEncryptedFolder",
      "openEncryptedTree",
      "openExportedDrive",
      "openFile",
      "openKeySession",
      "openLink",
      "openSeekable",
      "openTree",
      "parseNonceSource",
      "passkeyInput",
      "pay",
      "pinCid",
      "prepareKey",
      "publishName",
      "publishS3Bucket",
      "publishSigned",
      "recoverExported",
      "registerRecord",
      "removeConditions",
      "removeName",
      "removeWebhook",
      "renameFile",
      "renameName",
      "repairKey",
      "replayWebhook",
      "resetDrive",
      "resolveName",
      "restoreError",
      "resumeUpload",
      "retireKey",
      "revokeAccess",
      "revokeApiKey",
      "revokeLink",
      "revokeUploadLink",
      "rotateFile",
      "saveKey",
      "saveThumbnail",
      "scopes",
      "setConditions",
      "setCopies",
      "shareFile",
      "signIn",
      "signMessage",
      "testWebhook",
      "tokensOf",
      "transferFile",
      "unpublishS3Bucket",
      "updateWebhook",
      "uploadBytes",
      "uploadCar",
      "uploadEncrypted",
      "uploadEncryptedBytes",
      "uploadEncryptedFolder",
      "uploadEncryptedStream",
      "uploadEncryptedText",
      "uploadFile",
      "uploadFolder",
      "uploadStream",
      "uploadText",
      "uploadWithLink",
      "useFaucet",
      "verifyEventLog",
      "verifyStorage",
      "verifyWebhook",
      "waitForCredit",
      "waitForProof",
      "walletFromPrivateKey",
      "watchEvents",
      "watchKeyEvents",
    ]
  `)
})

/** The script that a page loads initially, without the parts imported on demand. */
async function bundle(contents: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser', '@cairn/source'],
    write: false,
    plugins: [
      {
        name: 'load-later',
        setup(on) {
          on.onResolve({ filter: /^\./ }, ({ kind, path }) =>
            kind === 'dynamic-import' ? { path, external: true } : undefined,
          )
        },
      },
    ],
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

async function bundledBytes(contents: string): Promise<number> {
  return gzipSync(await bundle(contents)).length
}

test.each([
  [
    'plain files',
    25_000,
    "import { createClient, uploadFile } from '@cairn/sdk'\nconsole.log(createClient, uploadFile)",
  ],
  // The code that reads and signs records loads with the first name.
  [
    'plain files, and publishes and resolves names,',
    27_500,
    "import { createClient, createNameKey, publishName, publishSigned, resolveName, uploadFile } from '@cairn/sdk'\nconsole.log(createClient, createNameKey, publishName, publishSigned, resolveName, uploadFile)",
  ],
  // The curve of the session key loads with the first session.
  [
    'encrypted files, too,',
    45_000,
    "import { createClient, decryptBytes, openKeySession, shareFile, uploadEncrypted, uploadFile } from '@cairn/sdk'\nconsole.log(createClient, decryptBytes, openKeySession, shareFile, uploadEncrypted, uploadFile)",
  ],
])('a browser that uploads %s loads at most %i bytes', async (_what, most, contents) => {
  const bytes = await bundledBytes(contents)
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes, `${bytes} bytes gzipped`).toBeLessThanOrEqual(most)
})

test('the code that a browser loads with its first name stays small', async () => {
  // Includes the parts that are already loaded; secp256k1 loads only for names with such keys.
  const bytes = await bundledBytes("export * from './names/name-tools.ts'")
  expect(bytes, `${bytes} bytes gzipped`).toBeLessThanOrEqual(36_600)
})

test('a browser has the texts of the errors that it creates, and of all others those of the response', async () => {
  const source = Buffer.from(await bundle("export { decodeError } from '@cairn/protocol'"))
  const text = source.toString()
  expect(text).toContain(errorTable.FILE_CHANGED.message)
  const ofServices = Object.values(serviceErrors).map(({ message }) => message)
  expect(ofServices.length).toBeGreaterThan(50)
  expect(ofServices.filter((message) => text.includes(message))).toEqual([])
  const { decodeError }: typeof import('@cairn/protocol') = await import(
    `data:text/javascript;base64,${source.toString('base64')}`
  )
  for (const [code, { status, message, hint, retry }] of Object.entries(serviceErrors)) {
    const header = (name: string) => (name === 'x-cairn-code' ? code : null)
    const body = JSON.stringify({ error: { code, message, hint } })
    expect(decodeError('api', { status, header, body })).toMatchObject({ code, status, message, hint, retry })
    const withoutBody = decodeError('api', { status, header, body: '' })
    expect(withoutBody).toMatchObject({ code, status, message: 'The service refused the request', retry })
  }
})
