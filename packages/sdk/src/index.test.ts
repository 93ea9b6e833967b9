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
      "createName",
      "createNameKey",
      "createResumable",
      "createWallet",
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
      "explainAccess",
      "explainConditions",
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
      "isCid",
      "isCoin",
      "isContentPath",
      "isEncrypted",
      "isFolder",
      "isPrivateKey",
      "listApiKeys",
      "listChecks",
      "listDirectory",
      "listFiles",
      "listFilesPage",
      "listKeyFiles",
      "listNameHistory",
      "listNames",
      "listPayments",
      "loadNetwork",
      "networks",
      "normalizeAddress",
      "openDecrypted",
      "openEncryptedFolder",
      "openFile",
      "openKeySession",
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
      "renameFile",
      "renameName",
      "repairKey",
      "resolveName",
      "resumeUpload",
      "retireKey",
      "revokeAccess",
      "revokeApiKey",
      "rotateFile",
      "saveKey",
      "scopes",
      "setConditions",
      "setCopies",
      "shareFile",
      "signIn",
      "signMessage",
      "tokensOf",
      "transferFile",
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
      "useFaucet",
      "verifyStorage",
      "waitForCredit",
      "waitForProof",
      "walletFromPrivateKey",
    ]
  `)
})

/** What a page loads at first; what is imported only when it is needed stays out. */
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
  // What reads and signs records comes when the first name is used.
  [
    'plain files, and publishes and resolves names,',
    27_500,
    "import { createClient, createNameKey, publishName, publishSigned, resolveName, uploadFile } from '@cairn/sdk'\nconsole.log(createClient, createNameKey, publishName, publishSigned, resolveName, uploadFile)",
  ],
  // The curve of the session's key comes with the first session.
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

test('what a browser loads with its first name stays small', async () => {
  // With the parts that are loaded already; secp256k1 comes only for names of such keys.
  const bytes = await bundledBytes("export * from './names/name-tools.ts'")
  expect(bytes, `${bytes} bytes gzipped`).toBeLessThanOrEqual(36_500)
})
