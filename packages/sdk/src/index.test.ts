import { gzipSync } from 'node:zlib'
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
      "closeKeySession",
      "createApiKey",
      "createClient",
      "createHeldSessionKey",
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
      "downloadBytes",
      "downloadCar",
      "downloadFile",
      "encryptBlob",
      "encryptKeystore",
      "eventTypes",
      "explainAccess",
      "explainConditions",
      "exportDrive",
      "exportKey",
      "exportName",
      "exportNameKey",
      "findChain",
      "findConditions",
      "formatUnits",
      "getConditions",
      "getCopies",
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
      "getStatus",
      "getTickerPrice",
      "getUpload",
      "getUsage",
      "importNameKey",
      "inspectLink",
      "inspectUploadLink",
      "isAnyCid",
      "isCid",
      "isCoin",
      "isContentPath",
      "isEncrypted",
      "isFolder",
      "isPrivateKey",
      "iterateStream",
      "listApiKeys",
      "listChecks",
      "listDirectory",
      "listEvents",
      "listFiles",
      "listFilesPage",
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
      "openExportedDrive",
      "openFile",
      "openKeySession",
      "openLink",
      "openSeekable",
      "pay",
      "pinCid",
      "prepareKey",
      "publishName",
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
      "resolveName",
      "resumeUpload",
      "retireKey",
      "revokeAccess",
      "revokeApiKey",
      "revokeLink",
      "revokeUploadLink",
      "rotateFile",
      "saveKey",
      "scopes",
      "setConditions",
      "setCopies",
      "shareFile",
      "signIn",
      "signMessage",
      "testWebhook",
      "tokensOf",
      "transferFile",
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
      "verifyStorage",
      "verifyWebhook",
      "waitForCredit",
      "waitForProof",
      "walletFromPrivateKey",
      "watchEvents",
    ]
  `)
})

/** Bytes that a page loads initially, without the parts imported on demand. */
async function bundledBytes(contents: string): Promise<number> {
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
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length
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
