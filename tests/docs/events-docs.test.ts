// The examples of the page run as printed, and it lists every event type and every function.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { eventTypes } from '@cairn/protocol'
import * as sdk from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { webhook } from '../../packages/cli/src/commands/webhook.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { openExamples } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/events.md'), 'utf8')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the examples of the SDK work', async () => {
  using folder = openExamples(page, network)
  expect(await folder.run('watch.ts')).toContain('2 upload.stored hello.txt')
  expect(await folder.run('receiver.ts')).toContain('upload.stored hello.txt')
})

test('the page lists every event type, every word of the command, and its functions', () => {
  for (const type of eventTypes) expect(page).toContain(`\`${type}\``)
  for (const word of webhook.words ?? []) expect(page).toContain(`npm run cairn -- webhook ${word}`)
  for (const name of ['listEvents', 'watchEvents', 'createWebhook', 'verifyWebhook']) {
    expect(Object.keys(sdk)).toContain(name)
    expect(page).toContain(name)
  }
})
