// Memory of the service during many downloads: bounded, however many and however slow they are. Needs /proc.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MIB } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { type StorageProcess, startStorageProcess } from './storage-process.ts'

let home = ''
let storage: StorageProcess
let apiKey = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-readers-'))
  storage = await startStorageProcess(home)
  apiKey = (await createTestKey({ profile: storage })).apiKey
})
afterAll(async () => {
  await storage?.kill()
  await rm(home, { recursive: true, force: true })
})

async function store(sizeBytes: number): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([randomBytes(sizeBytes)]), 'file')
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`${storage.api}/api/v0/add?cid-version=1`, { method: 'POST', headers, body })
  return ((await answer.json()) as { Hash: string }).Hash
}

/** Resident memory of the service, in MiB. */
async function residentMib(): Promise<number> {
  const status = await readFile(`/proc/${storage.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

test('250 clients that stop reading hold less memory than their read-ahead', async () => {
  const { hostname, port, pathname } = new URL(`${storage.gateway}/ipfs/${await store(64 * MIB)}`)
  const before = await residentMib()
  const clients: Socket[] = []
  try {
    for (let at = 0; at < 250; at++) {
      const client = connect(Number(port), hostname)
      clients.push(client)
      client.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
    }
    for (const client of clients) {
      await once(client, 'readable')
      expect(client.read(12)?.toString()).toBe('HTTP/1.1 200')
    }
    // Without a limit it is 3 MiB each, and grows with time.
    expect((await residentMib()) - before).toBeLessThan(550)
  } finally {
    for (const client of clients) client.destroy()
  }
}, 300_000)

test('1,000 downloads of 3 MiB leave no memory behind', async () => {
  const sizeBytes = 3 * MIB
  const url = `${storage.gateway}/ipfs/${await store(sizeBytes)}`
  let left = 1000
  const download = async () => {
    for (; left > 0; ) {
      left--
      expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(sizeBytes)
    }
  }
  await Promise.all(Array.from({ length: 8 }, download))
  // Each download would leave 3 MiB.
  expect(await residentMib()).toBeLessThan(900)
}, 300_000)
