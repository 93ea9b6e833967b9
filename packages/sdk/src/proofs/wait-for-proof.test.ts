import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Client, createClient } from '../client.ts'
import { waitForProof } from './wait-for-proof.ts'

const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
const proven = JSON.stringify({ cid, challengeMs: 1, waitingPacks: 0, furtherPieces: 0, pieces: [] })

let stop = async () => {}
afterEach(() => stop())

/** A service that gives these answers, and then that the content is proven. */
async function serve(answers: ((response: ServerResponse) => void)[]): Promise<Client> {
  const server = createServer((_request, response) => {
    const answer = answers.shift()
    if (answer === undefined) response.end(proven)
    else answer(response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  stop = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return createClient({ network: { name: 't', api, upload: api, gateway: api } })
}

const unavailable = (response: ServerResponse) => response.writeHead(503, { 'retry-after': '0' }).end()
const notFound = (response: ServerResponse) =>
  response.writeHead(400).end('{"error":{"code":"PROOF_NOT_FOUND","message":"not yet"}}')

test('continues while the service does not answer, and reports only what it states', async () => {
  // Each call has three attempts.
  const client = await serve([notFound, ...Array.from({ length: 6 }, () => unavailable)])
  const updates: (number | undefined)[] = []
  const options = { onUpdate: (proofs: { waitingPacks: number } | undefined) => updates.push(proofs?.waitingPacks) }
  expect(await waitForProof(client, cid, options)).toMatchObject({ cid })
  expect(updates).toEqual([undefined, 0])
})

test('fails with what is wrong with the content', async () => {
  const refused = (response: ServerResponse) =>
    response.writeHead(404).end('{"error":{"code":"BLOCK_NOT_FOUND","message":"no such block"}}')
  await expect(waitForProof(await serve([refused]), cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' })
})
