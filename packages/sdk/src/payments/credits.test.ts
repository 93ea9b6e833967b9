import type { RequestListener } from 'node:http'
import type { Payment } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { listen } from '../../../../tests/listen.ts'
import { createClient } from '../client.ts'
import { listPayments, waitForCredit } from './credits.ts'

const txHash = `0x${'ab'.repeat(32)}`

function payment(id: string, state: Payment['state']): Payment {
  const address = `0x${'11'.repeat(20)}`
  return {
    ...{ id, network: 'local', chainId: 31_337, txHash, ordinal: 0, blockNumber: 7, payer: address },
    ...{ beneficiary: address, coin: 'native', token: '', units: '1', state, reason: null, confirmations: null },
    ...{ bytes: null, price: null, seenAt: 1, creditedAt: null },
  }
}

/** A service with these responses, and a client for it. */
async function serve(answer: RequestListener) {
  const server = await listen(answer)
  const network = { name: 't', api: server.url, upload: server.url, gateway: server.url }
  return Object.assign(server, { client: createClient({ network, apiKey: 'key' }) })
}

/** A service that reports these payments of a transaction, one list after the other. */
function serveReports(reports: readonly (readonly Payment[])[]) {
  let count = 0
  return serve((_request, response) => {
    const payments = reports[Math.min(count++, reports.length - 1)]
    response.end(JSON.stringify({ payments, headBlock: 9, finalBlock: 8, checkedAt: 1, fault: null }))
  })
}

test('waits until every payment of a transaction is credited or refused', async () => {
  const decided = [payment('1', 'credited'), payment('2', 'refused')]
  await using service = await serveReports([[], [payment('1', 'credited'), payment('2', 'seen')], decided])
  const seen: number[] = []
  const onUpdate = ({ payments }: { payments: readonly Payment[] }) => seen.push(payments.length)
  expect(await waitForCredit(service.client, 'local', txHash, { onUpdate })).toEqual(decided)
  expect(seen).toEqual([0, 2, 2])
})

test('a transaction that the chain dropped is reported, and not awaited any longer', async () => {
  const states = ['seen', 'orphaned', 'credited'] as const
  await using service = await serveReports(states.map((state) => [payment('1', state)]))
  await expect(waitForCredit(service.client, 'local', txHash)).rejects.toMatchObject({
    code: 'PAYMENT_FAILED',
    details: { txHash },
  })
})

test('lists the payments of all pages, each once', async () => {
  const all = Array.from({ length: 205 }, (_, i) => payment(String(i), 'credited'))
  await using service = await serve(({ url = '' }, response) => {
    const query = new URL(url, 'http://service').searchParams
    const start = all.findIndex(({ id }) => id === query.get('after')) + 1
    response.end(JSON.stringify({ payments: all.slice(start, start + Number(query.get('limit'))) }))
  })
  expect(await Array.fromAsync(listPayments(service.client))).toEqual(all)
})
