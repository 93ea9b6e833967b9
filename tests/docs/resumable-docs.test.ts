// The example of the page runs as printed, twice: started in one process, and continued in another.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MIB, resumableSegmentBytes, uploadWriterLifetimeMs } from '@cairn/protocol'
import { createClient, createResumable, type ResumableState, uploadFile } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { openExamples } from './run-example.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/resumable-uploads.md'), 'utf8')
const configuration = readFileSync(resolve(import.meta.dirname, '../../docs/configuration.md'), 'utf8')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
})

async function* stopAfter(bytes: number, body: AsyncIterable<Uint8Array>, stop: AbortController) {
  let given = 0
  for await (const piece of body) {
    yield piece
    given += piece.length
    if (given > bytes) stop.abort()
  }
}

test('the example of the SDK continues where another process stopped', async () => {
  using examples = openExamples(page, network)
  await examples.run('film.mkv')
  const film = join(examples.path, 'film.mkv')
  const kept = join(examples.path, 'film.upload.json')
  const { apiKey } = await createTestKey(network, network.profile.wallet.privateKey)
  const client = createClient({ network: network.profile, apiKey })
  const stop = new AbortController()
  const resumable = createResumable({ onState: (state) => writeFileSync(kept, JSON.stringify(state)) })
  const first = uploadFile(client, film, {
    signal: stop.signal,
    resumable: {
      ...resumable,
      send: (to, upload) => resumable.send(to, { ...upload, body: stopAfter(15 * MIB, upload.body, stop) }),
    },
  })
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' })
  const { id }: ResumableState = JSON.parse(readFileSync(kept, 'utf8'))
  const output = await examples.run('film.ts')
  expect(output.trim()).toBe((await uploadFile(client, film)).cid)
  expect(existsSync(kept)).toBe(false)
  const answer = await fetch(`${network.profile.api}/api/uploads/${id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(await answer.json()).toMatchObject({ state: 'stored', result: [{ Name: 'film.mkv', Hash: output.trim() }] })
})

test('its figures match the code', () => {
  expect(page).toContain(`every ${resumableSegmentBytes / MIB} MiB`)
  expect(uploadWriterLifetimeMs).toBe(8000)
  expect(page).toContain('silent for eight seconds')
  expect(configuration).toContain(`\`CAIRN_UPLOAD_LIFE_SECONDS\` | \`${7 * 24 * 3600}\``)
  expect(page).toContain('after seven days')
  expect(configuration).toContain('`CAIRN_OPEN_UPLOADS` | `100`')
  expect(page).toContain('at most 100 unfinished uploads')
})
