import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MIB } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

let origin: TestNetwork
let originKey: string
let bad: Server
let network: TestNetwork
let apiKey: string
let address: string
let answerBadly: RequestListener = (_request, response) => response.writeHead(500).end()

beforeAll(async () => {
  origin = await createTestNetwork()
  originKey = (await createTestKey(origin)).apiKey
  bad = createServer((request, response) => answerBadly(request, response))
  await new Promise<void>((resolve) => bad.listen(0, '127.0.0.1', resolve))
  const { port } = bad.address() as AddressInfo
  network = await createTestNetwork({
    CAIRN_PIN_GATEWAYS: `http://127.0.0.1:${port}, ${origin.profile.gateway}`,
    CAIRN_FREE_BYTES: String(8 * MIB),
  })
  ;({ apiKey, address } = await createTestKey(network))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await origin?.[Symbol.asyncDispose]()
  bad?.close()
})

async function addTo(target: TestNetwork, key: string, files: [string, BlobPart][]): Promise<string> {
  const body = new FormData()
  for (const [name, content] of files) body.append('file', new Blob([content]), name)
  const answer = await fetch(`${target.profile.upload}/api/v0/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  })
  return ((await answer.json()) as { Hash: string }).Hash
}

async function pin(
  cid: string,
  fileName?: string,
  key = apiKey,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${network.profile.api}/api/lighthouse/pin`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cid, ...(fileName === undefined ? {} : { fileName }) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function account(): Promise<unknown> {
  const { db } = network.storage.context
  const row = await db.read
    .selectFrom('account')
    .select(['data_used_bytes', 'reserved_bytes'])
    .where('address', '=', address.toLowerCase())
    .executeTakeFirstOrThrow()
  const uploads = await db.read.selectFrom('upload').select('id').execute()
  return { ...row, uploads: uploads.length }
}

describe('pinning a CID', () => {
  it('fetches it from the next gateway when one fails, and keeps all of it', async () => {
    const cid = await addTo(origin, originKey, [
      ['d/a', 'A'.repeat(600_000)],
      ['d/b/c', 'C'],
    ])
    const { status, body } = await pin(cid, 'my folder')
    expect([status, body]).toMatchObject([
      200,
      { cid, fileName: 'my folder', fileSizeInBytes: '600001', id: expect.any(String) },
    ])
    const read = await fetch(`${network.profile.gateway}/ipfs/${cid}/b/c`)
    expect(await read.text()).toBe('C')
    expect(await account()).toEqual({ data_used_bytes: 600_001, reserved_bytes: 0, uploads: 1 })
  })

  it('needs no gateway for stored content', async () => {
    const cid = await addTo(network, apiKey, [['x', 'only here']])
    const before = await account()
    const other = (await createTestKey(network)).apiKey
    expect(await pin(cid, undefined, other)).toMatchObject({
      status: 200,
      body: { cid, fileName: cid, fileSizeInBytes: '9' },
    })
    expect(before).toMatchObject({ uploads: 2 })
  })

  it('accepts nothing that does not match its hash, follows no redirect, and reports which gateway failed', async () => {
    const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
    const before = await account()
    const car = (bytes: string) =>
      Buffer.concat([
        Buffer.from(
          '3aa265726f6f747381d82a58250001551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde96776657273696f6e01',
          'hex',
        ),
        Buffer.from([36 + bytes.length]),
        Buffer.from('01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9', 'hex'),
        Buffer.from(bytes),
      ])
    const carType = { 'content-type': 'application/vnd.ipld.car; version=1' }
    const answers: RequestListener[] = [
      (_request, response) => response.writeHead(200, carType).end(car('hello w0rld')),
      (_request, response) => response.writeHead(302, { location: `${origin.profile.gateway}/ipfs/${cid}` }).end(),
      (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>no'),
      (_request, response) => response.writeHead(200, carType).end(car('hello world').subarray(0, 60)),
      (request) => request.socket.destroy(),
    ]
    for (const answer of answers) {
      answerBadly = answer
      const { status, body } = await pin(cid)
      // The other gateway reports that it does not have it; the failed one is listed, because it may have it.
      expect([status, body]).toMatchObject([502, { error: { code: 'UPSTREAM_FAILED' } }])
    }
    expect(await account()).toEqual(before)
    answerBadly = (_request, response) => response.writeHead(200, carType).end(car('hello world'))
    expect(await pin(cid)).toMatchObject({ status: 200, body: { fileSizeInBytes: '11' } })
  })

  it('stops at the quota however much a gateway sends', async () => {
    const before = await account()
    const cid = await addTo(origin, originKey, [['big', Buffer.alloc(9 * MIB, 'big')]])
    expect(await pin(cid)).toMatchObject({ status: 402, body: { error: { code: 'QUOTA_EXCEEDED' } } })
    expect(await account()).toEqual(before)
  })

  it('rejects an invalid CID, and reports content without a provider', async () => {
    expect(await pin('nonsense!')).toMatchObject({ status: 400, body: { error: { code: 'INVALID_CID' } } })
    expect(await pin('bafkrei')).toMatchObject({ status: 400, body: { error: { code: 'INVALID_CID' } } })
    answerBadly = (_request, response) => response.writeHead(404).end()
    expect(await pin('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')).toMatchObject({
      status: 404,
      body: { error: { code: 'BLOCK_NOT_FOUND' } },
    })
  })
})
