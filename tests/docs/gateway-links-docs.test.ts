// The example of the page on signed links runs as printed, and its figures match the code.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { maxGatewayLinkSeconds } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { openExamples } from './run-example.ts'

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/how-to/gateway-links.md'), 'utf8')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the example of the SDK works', async () => {
  using examples = openExamples(page, network)
  expect(await examples.run('private.ts')).toMatch(/^Invoice 17 true\nInvoice 17\n404\n$/m)
})

test('the page states the longest lifetime', () => {
  expect(page).toContain(maxGatewayLinkSeconds.toLocaleString('en'))
  expect(maxGatewayLinkSeconds).toBe(7 * 86_400)
})
