// The documentation of the gateway's calls names every error of formats, headers and resized pictures.
import { allCalls, commonErrors } from '@cairn/protocol'
import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { openPictureGateway } from '../pictures/picture-gateway.fixture.ts'
import { createTestGateway, sha256 } from './test-gateway.fixture.ts'

/** Codes that both calls declare: what is below a name is served like what is below its CID. */
const declared = ['getIpfs', 'getIpns']
  .map((id) => [...commonErrors, ...(allCalls.find((call) => call.id === id)?.errors ?? [])])
  .reduce((codes, others) => codes.filter((code) => others.includes(code)))

test('of the format and the headers of a request', async () => {
  const { app, addFile, put } = createTestGateway()
  const file = await addFile('some text')
  const absent = await createTestGateway().addFile('elsewhere')
  const bytes = dagCbor.encode({ text: 'not a link' })
  const value = CID.createV1(dagCbor.code, create(0x12, sha256(bytes)))
  put(value, bytes)
  const requests = [
    ['NOT_ACCEPTABLE', `/ipfs/${file}?format=zip`, {}],
    ['INVALID_RANGE', `/ipfs/${file}`, { range: 'bytes=900-' }],
    ['PRECONDITION_FAILED', `/ipfs/${file}`, { 'if-match': '"other"' }],
    ['PRECONDITION_FAILED', `/ipfs/${absent}`, { 'cache-control': 'only-if-cached' }],
    ['NOT_SUPPORTED', `/ipfs/${value}/text`, {}],
    ['PICTURES_UNAVAILABLE', `/ipfs/${file}?img-width=10`, {}],
  ] as const
  for (const [code, url, headers] of requests) {
    const answer = await app.inject({ url, headers })
    expect([url, answer.headers['x-cairn-code']]).toEqual([url, code])
    expect(declared).toContain(code)
  }
})

test('of pictures', async () => {
  await using gateway = await openPictureGateway({ limits: { maxInputBytes: 10 } })
  const png = await gateway.addFile(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  const requests = [
    ['NOT_A_PICTURE', `/ipfs/${await gateway.addFile('some text')}?img-width=10`],
    ['PICTURE_TOO_LARGE', `/ipfs/${png}?img-width=10`],
  ] as const
  for (const [code, url] of requests) {
    expect((await gateway.get(url)).headers['x-cairn-code']).toBe(code)
    expect(declared).toContain(code)
  }
})
