// Pins of content stored by others: the key nodes decide whether it is encrypted.
import { type Client, getFileInfo, uploadEncryptedText } from '@cairn/sdk'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

/** The mark of a pin by the Pinning Service API, which has no field for it. */
async function pinnedMark(reader: Client, cid: string): Promise<boolean> {
  const { apiKey } = reader
  const answer = await fetch(`${network.profile.api}/pins`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cid }),
  })
  expect(await answer.json()).toMatchObject({ status: 'pinned' })
  const { encryption, isOwn } = await getFileInfo(reader, cid)
  expect(isOwn).toBe(true)
  return encryption
}

test('marks a pin of encrypted content of another account as encrypted', async () => {
  const owner = await createKeyClient(network)
  const reader = await createKeyClient(network)
  const { cid } = await uploadEncryptedText(owner, 'dear diary')
  expect(await pinnedMark(reader, cid)).toBe(true)
})

test('the claim of another uploader alone marks no pin', async () => {
  const liar = await createKeyClient(network)
  const reader = await createKeyClient(network)
  const body = new FormData()
  body.append('file', new Blob(['plain text']), 'plain.txt')
  const headers = { authorization: `Bearer ${liar.apiKey}`, encryption: 'true' }
  const answer = await fetch(`${network.profile.upload}/api/v0/add`, { method: 'POST', headers, body })
  const { Hash: cid } = v.parse(v.object({ Hash: v.string() }), [await answer.json()].flat()[0])
  expect(await getFileInfo({ ...reader, apiKey: undefined }, cid)).toMatchObject({ encryption: true })
  expect(await pinnedMark(reader, cid)).toBe(false)
})
