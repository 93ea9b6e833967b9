// Names of a whole network: kept across a restart, followed by the gateway on either kind of address, and records offered
// from outside.
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNetwork, type Network } from '@cairn/local'
import { createNameKey, createRecord, readRecord } from '@cairn/names'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'

let home: string
let network: Network
let apiKey: string
const start = () =>
  createNetwork({
    home,
    ports: 'any',
    chain: 'none',
    environment: { CAIRN_LOG_LEVEL: 'silent', CAIRN_RATE_FACTOR: '0' },
  })

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-names-e2e-'))
  network = await start()
  ;({ apiKey } = await createTestKey(network))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

async function call<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const answer = await fetch(`${network.profile.api}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  const json: T = await answer.json()
  return json
}

async function upload(text: string): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([text]), 'a.txt')
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`${network.profile.upload}/api/v0/add`, { method: 'POST', body: form, headers })
  const { Hash }: { Hash: string } = await answer.json()
  return Hash
}

const read = async (path: string) => (await fetch(`${network.profile.gateway}${path}`)).text()

/** Like a browser: the name is in the host. */
function readAt(host: string, path: string): Promise<string> {
  const { hostname, port } = new URL(network.profile.gateway)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { host: `${host}:${port}` } }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (piece) => {
        body += piece
      })
      answer.on('end', () => resolve(answer.statusCode === 301 ? (answer.headers.location ?? '') : body))
    })
      .on('error', reject)
      .end()
  })
}

test('names, keys and histories survive a restart, and sequences continue', async () => {
  type Published = { sequence: string; record: string }
  const { id, name } = await call<{ id: string; name: string }>('/api/names', 'POST', { label: 'kept' })
  const publish = async (text: string) =>
    call<Published>(`/api/names/${id}/records`, 'POST', { value: await upload(text) })
  const first = await publish('before')
  expect(await read(`/ipns/${name}`)).toBe('before')
  await network[Symbol.asyncDispose]()
  network = await start()
  expect(await read(`/ipns/${name}`)).toBe('before')
  const second = await publish('after')
  expect(BigInt(second.sequence)).toBeGreaterThan(BigInt(first.sequence))
  expect(await read(`/ipns/${name}`)).toBe('after')
  const { records } = await call<{ records: Published[] }>(`/api/names/${id}/records`)
  expect(records.map(({ record }) => record)).toEqual([second.record, first.record])
  expect(await readAt(`${name}.ipns.localhost`, '/')).toBe('after')
  const { port } = new URL(network.profile.gateway)
  expect(await readAt('localhost', `/ipns/${name}/x`)).toBe(`http://${name}.ipns.localhost:${port}/x`)
})

test('accepts a record signed by its owner from any sender, follows it, and returns it to any client', async () => {
  const key = await createNameKey()
  const value = `/ipfs/${await upload('signed elsewhere')}`
  const body = new Uint8Array(await createRecord(key, { value, sequence: 1n, lifetimeMs: 60_000, ttlMs: 1000 }))
  const url = `${network.profile.api}/routing/v1/ipns/${key.name}`
  const headers = { 'content-type': 'application/vnd.ipfs.ipns-record' }
  expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200)
  expect(await read(`/ipns/${key.name}`)).toBe('signed elsewhere')
  const record = await readRecord(key.name, await (await fetch(url)).bytes())
  expect(record).toMatchObject({ value, sequence: 1n })
  const shown = await fetch(`${network.profile.gateway}/ipns/${key.name}?format=ipns-record`)
  expect(await shown.bytes()).toEqual(body)
})
