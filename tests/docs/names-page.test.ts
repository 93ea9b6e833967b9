// The page's lines are run as they stand, and its figures are those of the code.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { readRecord } from '@cairn/names'
import {
  foreignNamesMost,
  nameDepthMost,
  nameHistoryMost,
  nameLabelCharactersMost,
  nameLifetimeMs,
  namePublishesPerMinute,
  nameRecordBytesMost,
  namesPerAccountMost,
  nameTtlMs,
  nameValueCharactersMost,
  putRoutedName,
} from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

const run = promisify(execFile)
const page = readFileSync(resolve(import.meta.dirname, '../../docs/names.md'), 'utf8')

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-names-docs-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await network?.[Symbol.asyncDispose]()
})

test('the lines of curl do what they say', async () => {
  const { apiKey } = await createTestKey(network)
  const form = new FormData()
  form.set('file', new Blob(['my page']), 'a.txt')
  const headers = { authorization: `Bearer ${apiKey}` }
  const added = await fetch(`${network.profile.upload}/api/v0/add`, { method: 'POST', body: form, headers })
  const { Hash: cid }: { Hash: string } = await added.json()
  const lines = (/```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    .replace('http://127.0.0.1:8080', network.profile.api)
    .replace('http://127.0.0.1:8081', network.profile.gateway)
  const script = `set -euo pipefail\n${lines}\necho\necho "name=$NAME"`
  const { stdout } = await run('bash', ['-c', script], {
    cwd: folder,
    env: { ...process.env, KEY: apiKey, CID: cid },
  })
  expect(stdout).toContain('my page')
  expect(stdout).toContain('BEGIN PRIVATE KEY')
  const name = /name=(k51\w+)/.exec(stdout)?.[1] ?? ''
  const record = await readRecord(name, readFileSync(join(folder, 'record')))
  expect(record.value).toBe(`/ipfs/${cid}`)
})

test('its figures are those of the code', () => {
  const figures = [
    `${namesPerAccountMost.toLocaleString('en')} names an account`,
    `${namePublishesPerMinute} names made or published a minute`,
    `${nameRecordBytesMost / 1024} KiB a record`,
    `${nameValueCharactersMost.toLocaleString('en')} characters a value`,
    `${nameLabelCharactersMost} a label`,
    `${foreignNamesMost.toLocaleString('en')} of them, and ${putRoutedName.limits.perMinute} offered a minute`,
    `the newest ${nameHistoryMost.toLocaleString('en')} records`,
    `${nameLifetimeMs / 3_600_000} hours unless you say`,
    `names may point to names, ${nameDepthMost} deep`,
  ]
  for (const figure of figures) expect(page).toContain(figure)
  expect(nameTtlMs).toBe(5 * 60_000)
})
