// The page about changing folders: its example, as printed.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { openExamples } from './run-example.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/folders.md'), 'utf8')
let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the example prints the CID of the changed folder, and how much was sent', async () => {
  using examples = openExamples(page, network)
  expect(await examples.run('node scripts/run.mjs change.ts')).toMatch(/^bafybei[a-z2-7]{52} 14$/m)
})
