// A service killed while names are published: acknowledged publications stay, and no sequence is used twice.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRecord } from '@cairn/names'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { type StorageProcess, startStorageProcess } from './storage-process.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const rounds = Number(process.env['CAIRN_TEST_KILLS'] ?? 4)
const writers = 3
/** The message of a service that was paused or busy for longer than a call may take. */
const overtime = 'The call exceeded its time limit'

let home: string
let service: StorageProcess
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-names-kill-'))
  service = await startStorageProcess(home)
})
afterAll(async () => {
  await service?.kill()
  await rm(home, { recursive: true, force: true })
})

type Published = { value: string; sequence: string; record: string }

test('no publication is lost or doubled by kill -9', async () => {
  const { apiKey } = await createTestKey({ profile: { api: service.api } })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const call = async (path: string, body?: unknown): Promise<Response> =>
    fetch(`${service.api}${path}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  /** Reads, and retries if that took too long. */
  const read = async (path: string) => {
    for (;;) {
      const body = await (await call(path)).json()
      if (body.error?.message !== overtime) return body
    }
  }
  const made: { name: string }[] = []
  for (let at = 0; at < 2; at++) made.push(await (await call('/api/names', { label: null })).json())
  /** Acknowledged publications, by name and sequence. */
  const acknowledged = new Map(made.map(({ name }) => [name, new Map<string, string>()]))
  let count = 0

  const write = async (name: string, kill: () => boolean): Promise<void> => {
    for (;;) {
      const value = `/ipfs/${cid}/${count++}`
      let published: Published
      try {
        const answer = await call(`/api/names/${name}/records`, { value })
        const body = await answer.json()
        // A call that meets its time limit on a busy machine is not acknowledged, like one of a service that is gone.
        if (body.error?.message === overtime) continue
        expect([answer.status, body]).toEqual([200, expect.any(Object)])
        published = body
      } catch (error) {
        // The service was killed, during this call or before it.
        if (error instanceof TypeError || error instanceof SyntaxError) return
        throw error
      }
      const own = acknowledged.get(name)
      expect(own?.has(published.sequence)).toBe(false)
      own?.set(published.sequence, published.value)
      if (kill()) return
    }
  }

  for (let round = 0; round < rounds; round++) {
    let left = 10 + Math.floor(Math.random() * 40)
    const gone: Promise<void>[] = []
    const kill = () => {
      left--
      if (left === 0) gone.push(service.kill())
      return left <= 0
    }
    await Promise.all(made.flatMap(({ name }) => Array.from({ length: writers }, () => write(name, kill))))
    await Promise.all(gone)
    service = await startStorageProcess(home)
    for (const { name } of made) {
      const own = acknowledged.get(name) ?? new Map<string, string>()
      const resolved: Published = await read(`/api/names/${name}/record`)
      const record = await readRecord(name, Buffer.from(resolved.record, 'base64'))
      for (const sequence of own.keys()) expect(record.sequence).toBeGreaterThanOrEqual(BigInt(sequence))
      const newest = own.get(resolved.sequence)
      // A publication that was not acknowledged any more may have a higher sequence.
      if (newest !== undefined) expect(resolved.value).toBe(newest)
      const { records }: { records: Published[] } = await read(`/api/names/${name}/records?limit=100`)
      const kept = new Map(records.map(({ sequence, value }) => [sequence, value]))
      const recent = [...own].filter(([sequence]) => BigInt(sequence) >= BigInt(records.at(-1)?.sequence ?? '0'))
      for (const [sequence, value] of recent) expect(kept.get(sequence)).toBe(value)
    }
  }
  for (const own of acknowledged.values()) expect(own.size).toBeGreaterThan(rounds)
})
