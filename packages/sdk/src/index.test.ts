import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import * as door from './index.ts'

test('the public surface', () => {
  expect(Object.keys(door).sort()).toMatchInlineSnapshot(`
    [
      "CairnError",
      "call",
      "createApiKey",
      "createClient",
      "createWallet",
      "decryptKeystore",
      "deleteFile",
      "downloadBytes",
      "downloadFile",
      "encryptKeystore",
      "getFileInfo",
      "getMessage",
      "getQuote",
      "getStatus",
      "getUsage",
      "isCid",
      "isPrivateKey",
      "listApiKeys",
      "listDirectory",
      "listFiles",
      "listFilesPage",
      "loadNetwork",
      "networks",
      "normalizeAddress",
      "openFile",
      "pinCid",
      "renameFile",
      "revokeApiKey",
      "signMessage",
      "uploadBytes",
      "uploadCar",
      "uploadFile",
      "uploadFolder",
      "uploadStream",
      "uploadText",
      "walletFromPrivateKey",
    ]
  `)
})

test('a browser that uploads plain files loads at most 25 kB', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: "import { createClient, uploadFile } from '@cairn/sdk'\nconsole.log(createClient, uploadFile)",
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser', '@cairn/source'],
    write: false,
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes, `${bytes} bytes gzipped`).toBeLessThanOrEqual(25_000)
})
