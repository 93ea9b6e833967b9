// The public suite of the Pinning Service API, unchanged, against a local network.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { type PinningRun, runPinningSuite } from './pinning-suite.ts'

let network: TestNetwork
let run: PinningRun
beforeAll(async () => {
  network = await createTestNetwork()
  const { apiKey } = await createTestKey(network)
  run = await runPinningSuite(network.profile.pinning?.endpoint ?? '', apiKey)
})
afterAll(() => network?.[Symbol.asyncDispose]())

// Some titles end with a random name or CID.
test.each([
  'Request with no authentication token',
  'Request with invalid token',
  'Pins post of CID',
  'Can create and then delete a new pin',
  'List pin objects (GET /pins) in all states',
  "Can create and replace a pin's CID",
  'Can create a pin with name=',
  'Pagination: Get all pins, create new pins (optional), get first and second pages',
  'Can delete all pins created during compliance checks',
])('%s', (title) => {
  const checks = run.checks.filter((check) => check.title.startsWith(title))
  expect(checks, run.output).toMatchObject([{ isPassed: true }])
})

test('the suite makes no other check, and reports no error of its own', () => {
  expect(run.checks).toHaveLength(9)
  expect(run.output).not.toMatch(/❌|\[error\]/u)
})
