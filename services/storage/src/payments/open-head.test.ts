import { expect, test } from 'vitest'
import { parsePaymentSettings } from '../settings/payment-settings.ts'
import { startPaymentChain, startRpcLiar } from './payment-chain.fixture.ts'
import { openHead } from './payments.ts'

test('does not wait for an endpoint that does not answer, and records the block of one that does', async () => {
  await using place = await startPaymentChain()
  let isSilent = true
  await using endpoint = await startRpcLiar(place.chain.url, () => (isSilent ? new Promise(() => {}) : undefined))
  const head = openHead(parsePaymentSettings(place.settings({ rpcUrls: [endpoint.url] })), 50)
  // Less than the limit of a single request to a chain.
  await expect(head?.()).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  isSilent = false
  const patient = openHead(parsePaymentSettings(place.settings({ rpcUrls: [endpoint.url] })))
  const block = await place.chain.reader.getBlock()
  expect(await patient?.()).toEqual({ chainId: 31337, number: Number(block.number), hash: block.hash })
}, 8000)
