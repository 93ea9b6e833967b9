// The examples of the page on upload links run as printed, and it lists every function and action.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  maxUploadLinkFiles,
  maxUploadLinkLifetimeMs,
  maxUploadLinksPerAccount,
  uploadLinkGraceMs,
} from '@cairn/protocol'
import * as sdk from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uploadLink } from '../../packages/cli/src/commands/upload-link.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { openExamples } from './run-example.ts'

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/how-to/upload-links.md'), 'utf8')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the example of the SDK works', async () => {
  using examples = openExamples(page, network)
  expect(await examples.run('upload-link.ts')).toMatch(/^8 of 8 bytes\n200000000 bafkrei\w+\n1 8\n$/m)
})

test('the page lists its functions and actions, and its figures match the code', () => {
  for (const name of [
    'createUploadLink',
    'inspectUploadLink',
    'listUploadLinks',
    'revokeUploadLink',
    'uploadWithLink',
  ]) {
    expect(Object.keys(sdk)).toContain(name)
    expect(page).toContain(name)
  }
  for (const word of uploadLink.words ?? []) expect(page).toContain(`npm run cairn -- upload-link ${word}`)
  for (const count of [maxUploadLinkFiles, maxUploadLinksPerAccount]) expect(page).toContain(count.toLocaleString('en'))
  expect([maxUploadLinkLifetimeMs / 86_400_000, uploadLinkGraceMs / 3_600_000]).toEqual([366, 24])
})
