// The example of the page runs as printed, and its commands exist.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  maxNameDepth,
  maxNameRecordBytes,
  maxNamesPerAccount,
  maxNameValueCharacters,
  namePublishesPerMinute,
} from '@cairn/protocol'
import * as sdk from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { name } from '../../packages/cli/src/commands/name.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runExample } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/names.md'), 'utf8')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the example of the SDK works', async () => {
  expect(page).toContain('publishSigned')
  const output = await runExample(page, network)
  expect(output).toContain('/ipfs/bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq')
  expect(output).toContain('true 2')
})

test('the page lists every function about names, every word and option of the command, and the limits', () => {
  const functions = Object.keys(sdk).filter((one) => /Names?(?:Key|History)?$|^publishSigned$/.test(one))
  expect(functions.length).toBeGreaterThan(10)
  for (const one of functions) expect(page).toContain(`\`${one}\``)
  for (const word of name.words ?? []) expect(page).toMatch(new RegExp(`cairn (-- )?name ${word}`))
  const figures = [maxNamesPerAccount, namePublishesPerMinute, maxNameValueCharacters, maxNameDepth]
  for (const figure of figures) expect(page).toContain(figure.toLocaleString('en'))
  expect(page).toContain(`${maxNameRecordBytes / 1024} KiB`)
})
