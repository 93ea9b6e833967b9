// What is reported about a payment that a wallet sent and that failed, or whose outcome is unknown: an app that
// offers to pay again must know whether the money may be in transit.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { localUsdcAbi } from '@cairn/contracts'
import { CairnError, createClient, type PayEvent, type PaymentParams, pay } from '@cairn/sdk'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type PaymentChain,
  startPaymentChain,
  startRpcLiar,
} from '../../services/storage/src/payments/payment-chain.fixture.ts'
import { createProvider, type WalletOptions } from './wallet-provider.fixture.ts'

let place: PaymentChain
beforeAll(async () => {
  place = await startPaymentChain()
})
afterAll(() => place?.[Symbol.asyncDispose]())

/** Creates a wallet with coins and tokens, and a client of a network that accepts payments at an endpoint of its chain. */
async function openPayer(rpcUrl: string) {
  const privateKey = generatePrivateKey()
  const { address } = privateKeyToAccount(privateKey)
  const { miner, wallets } = place.chain
  await miner.setBalance({ address, value: 10n ** 20n })
  const mint = { address: place.tokens.usdc, abi: localUsdcAbi, functionName: 'mint' } as const
  await place.chain.reader.waitForTransactionReceipt({
    hash: await wallets[0].writeContract({ ...mint, args: [address, 10n ** 9n] }),
  })
  const token = { coin: 'usdc', symbol: 'USDC', address: place.tokens.usdc, decimals: 6 }
  const chain = {
    name: 'local',
    chainId: 31337,
    rpcUrl,
    symbol: 'ETH',
    nativeDecimals: 18,
    paymentContract: place.payments,
    tokens: { usdc: token },
    tokenList: [token],
  }
  const profile = { name: 'local', api: rpcUrl, upload: rpcUrl, gateway: rpcUrl, chain, chains: [chain] }
  return { privateKey, address, client: createClient({ network: profile }) }
}

/** Pays from a new wallet with coins and tokens. @returns the error, and the steps before it */
async function payWith(openWallet: (privateKey: Hex) => WalletOptions, coin: 'native' | 'usdc') {
  const { url } = place.chain
  const { privateKey, client } = await openPayer(url)
  const { provider } = createProvider(url, privateKey, openWallet(privateKey))
  const events: PayEvent[] = []
  const params: PaymentParams = { units: 1_000_000n, coin }
  const paid = pay(client, { provider }, params, { onEvent: (event) => events.push(event) })
  const error = await paid.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!CairnError.is(error, 'PAYMENT_FAILED')) throw error ?? new Error('the payment went through')
  return { error, events, sentHash: events.findLast(({ step }) => step === 'sent') }
}

/** A wallet whose user cancels its first transaction while it waits for a block. */
function cancelling(privateKey: Hex): WalletOptions {
  const { miner, anvil } = place.chain
  const account = privateKeyToAccount(privateKey)
  let isKnown = false
  let isCancelled = false
  return {
    async at(method) {
      if (method === 'eth_sendTransaction') await miner.setAutomine(false)
      if (method === 'eth_getTransactionByHash') isKnown = true
      if (method !== 'eth_getTransactionReceipt' || !isKnown || isCancelled) return undefined
      isCancelled = true
      const nonce = await place.chain.reader.getTransactionCount({ address: account.address })
      const raw = await account.signTransaction({
        chainId: 31337,
        nonce,
        to: account.address,
        value: 0n,
        gas: 21_000n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 5n * 10n ** 10n,
        type: 'eip1559',
      })
      await anvil.request('eth_sendRawTransaction', [raw])
      await miner.mine({ blocks: 1 })
      await miner.setAutomine(true)
      return null
    },
  }
}

test.each(['native', 'usdc'] as const)(
  'a transaction that is cancelled in the wallet pays nothing: %s',
  async (coin) => {
    const { error, events } = await payWith(cancelling, coin)
    expect(error.message).toBe('The transaction was cancelled in the wallet')
    expect(error.hint).toContain('Nothing was paid')
    expect(error.details).toEqual({ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/), outcome: 'unpaid' })
    expect(events.map(({ step }) => step)).toEqual(coin === 'native' ? ['paying', 'sent'] : ['approving'])
    expect(events).not.toContainEqual({ step: 'sent', txHash: error.details.txHash })
  },
)

/** A wallet whose transaction reaches a block with too little gas for the contract. */
function withTooLittleGas(privateKey: Hex): WalletOptions {
  const account = privateKeyToAccount(privateKey)
  return {
    async at(method) {
      if (method !== 'eth_sendTransaction') return undefined
      const raw = await account.signTransaction({
        chainId: 31337,
        nonce: await place.chain.reader.getTransactionCount({ address: account.address }),
        to: place.payments,
        value: 1_000_000n,
        gas: 21_100n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 9n,
        type: 'eip1559',
      })
      return place.chain.anvil.request('eth_sendRawTransaction', [raw])
    },
  }
}

test('a transaction that fails in its block pays nothing', async () => {
  const { error, events } = await payWith(withTooLittleGas, 'native')
  expect(error.details).toEqual({ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/), outcome: 'unpaid' })
  expect(events).toEqual([{ step: 'paying' }, { step: 'sent', txHash: error.details.txHash }])
})

test('an endpoint that fails after a transaction was sent leaves its outcome unknown, and is reported', async () => {
  const { error, sentHash } = await payWith(
    () => ({
      at(method) {
        if (method === 'eth_getTransactionReceipt') throw Object.assign(new Error('overloaded'), { code: -32000 })
      },
    }),
    'native',
  )
  expect(error.message).toMatch(/^The payment was sent, and its outcome is unknown: \S/)
  expect(error.message).not.toContain('undefined')
  expect(error.hint).toContain('before you pay again')
  expect(sentHash).toEqual({ step: 'sent', txHash: error.details.txHash })
  expect(error.details.outcome).toBe('unknown')
})

test('reports a batch as soon as the wallet accepts it; a wallet that then fails leaves its outcome unknown', async () => {
  const { error, events } = await payWith(
    () => ({
      batches: true,
      at(method) {
        if (method === 'wallet_getCallsStatus') throw new Error('locked')
      },
    }),
    'usdc',
  )
  expect(error.message).toMatch(/^The payment was sent, and its outcome is unknown: /)
  expect(error.message).not.toContain('undefined')
  expect(error.details).toEqual({ batchId: 'batch', outcome: 'unknown' })
  expect(events).toEqual([{ step: 'paying' }, { step: 'submitted', batchId: 'batch' }])
})

test('a failed batch pays nothing', async () => {
  const { error } = await payWith(
    () => ({
      batches: true,
      at: (method) =>
        method === 'wallet_getCallsStatus'
          ? { version: '2.0.0', id: 'batch', chainId: '0x7a69', status: 400, atomic: true }
          : undefined,
    }),
    'usdc',
  )
  expect(error.details).toEqual({ batchId: 'batch', outcome: 'unpaid' })
})

/** Pays with a private key at an endpoint that loses the response to sending the last transaction. */
async function loseAnswer(coin: 'native' | 'usdc', passes: boolean) {
  let sendings = 0
  let isAway = false
  await using endpoint = await startRpcLiar(place.chain.url, async ({ method }, response, ask) => {
    if (isAway) return response.destroy()
    if (method !== 'eth_sendRawTransaction' || ++sendings < (coin === 'native' ? 1 : 2)) return undefined
    if (passes) await ask()
    else isAway = true
    return response.destroy()
  })
  const { privateKey, address, client } = await openPayer(endpoint.url)
  const events: PayEvent[] = []
  const outcome = await pay(
    client,
    { privateKey },
    { units: 1_000_000n, coin },
    { onEvent: (event) => events.push(event) },
  ).then(
    (paid) => ({ paid, error: undefined }),
    (error: unknown) => ({ paid: undefined, error }),
  )
  const { reader } = place.chain
  return { ...outcome, events, transactions: await reader.getTransactionCount({ address }) }
}

test.each(['native', 'usdc'] as const)(
  'finds a payment whose sending was not answered, and does not report it as failed: %s',
  async (coin) => {
    const { paid, error, events, transactions } = await loseAnswer(coin, true)
    expect(error).toBeUndefined()
    expect(events.at(-1)).toEqual({ step: 'mined', txHash: paid?.txHash })
    expect(transactions).toBe(coin === 'native' ? 1 : 2)
  },
)

test.each(['native', 'usdc'] as const)(
  'a payment that may not have reached the endpoint has an unknown outcome, and is reported: %s',
  async (coin) => {
    const { error, events } = await loseAnswer(coin, false)
    if (!CairnError.is(error, 'PAYMENT_FAILED')) throw error
    expect(error.details).toEqual({ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/), outcome: 'unknown' })
    expect(events.at(-1)).toEqual({ step: 'sent', txHash: error.details.txHash })
  },
)

test('a payment that a network delivered twice has an unknown outcome, if nothing can be looked up', async () => {
  let isAway = false
  await using endpoint = await startRpcLiar(place.chain.url, async ({ method }, response, ask) => {
    if (isAway) return response.destroy()
    if (method !== 'eth_sendRawTransaction') return undefined
    await ask()
    isAway = true
    return { error: { code: -32000, message: 'already known' } }
  })
  const { privateKey, client } = await openPayer(endpoint.url)
  const events: PayEvent[] = []
  const onEvent = (event: PayEvent) => events.push(event)
  await expect(pay(client, { privateKey }, { units: 1_000_000n }, { onEvent })).rejects.toMatchObject({
    code: 'PAYMENT_FAILED',
    details: { outcome: 'unknown', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  })
  expect(events.map(({ step }) => step)).toEqual(['paying', 'sent'])
})

test('a payment that the endpoint rejects was not sent', async () => {
  await using endpoint = await startRpcLiar(place.chain.url, ({ method }) =>
    method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'out of order' } } : undefined,
  )
  const { privateKey, client } = await openPayer(endpoint.url)
  const events: PayEvent[] = []
  const onEvent = (event: PayEvent) => events.push(event)
  await expect(pay(client, { privateKey }, { units: 1_000_000n }, { onEvent })).rejects.toMatchObject({
    code: 'PAYMENT_FAILED',
    details: {},
  })
  expect(events).toEqual([{ step: 'paying' }])
})

test('aborting after sending stops the wait for the block, and aborting before it pays nothing', async () => {
  const { url } = place.chain
  const pays = async (abortAt: string) => {
    const { privateKey, address, client } = await openPayer(url)
    const stop = new AbortController()
    const events: PayEvent[] = []
    const { provider } = createProvider(url, privateKey, {
      at(method) {
        if (method !== abortAt || stop.signal.aborted) return undefined
        stop.abort()
        // Not in a block yet; the next query gets the answer of the chain.
        return method === 'eth_getTransactionReceipt' ? null : undefined
      },
    })
    const options = { signal: stop.signal, onEvent: (event: PayEvent) => events.push(event) }
    await expect(pay(client, { provider }, { units: 1_000_000n }, options)).rejects.toMatchObject({ code: 'ABORTED' })
    const sent = await place.chain.reader.getTransactionCount({ address })
    return { steps: events.map(({ step }) => step), sent }
  }
  expect(await pays('eth_getTransactionReceipt')).toEqual({ steps: ['paying', 'sent'], sent: 1 })
  expect(await pays('eth_getBalance')).toEqual({ steps: ['paying'], sent: 0 })
})

test('aborting ends a payment at an endpoint that does not answer, and reports what may have been sent', async () => {
  const abortAt = async (method: string, coin: 'native' | 'usdc' = 'native') => {
    const stop = new AbortController()
    await using endpoint = await startRpcLiar(place.chain.url, (question) => {
      if (question.method !== method) return undefined
      stop.abort()
      return new Promise(() => undefined)
    })
    const { privateKey, address, client } = await openPayer(endpoint.url)
    const events: PayEvent[] = []
    const options = { signal: stop.signal, onEvent: (event: PayEvent) => events.push(event) }
    const error = await pay(client, { privateKey }, { units: 1_000_000n, coin }, options).catch(
      (cause: unknown) => cause,
    )
    if (!CairnError.is(error)) throw error
    const sent = await place.chain.reader.getTransactionCount({ address })
    return { code: error.code, details: error.details, steps: events.map(({ step }) => step), sent }
  }
  for (const method of ['eth_getBalance', 'eth_fillTransaction']) {
    expect(await abortAt(method)).toMatchObject({ code: 'ABORTED', sent: 0 })
  }
  expect(await abortAt('eth_call', 'usdc')).toMatchObject({ code: 'ABORTED', sent: 0 })
  expect(await abortAt('eth_sendRawTransaction')).toEqual({
    code: 'PAYMENT_FAILED',
    details: { txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/), outcome: 'unknown' },
    steps: ['paying', 'sent'],
    sent: 0,
  })
})

test('an endpoint that has the receipts later than their block does not make a payment fail', async () => {
  let unknown = 0
  await using endpoint = await startRpcLiar(place.chain.url, ({ method }) =>
    method === 'eth_getTransactionReceipt' && unknown++ < 4 ? { result: null } : undefined,
  )
  const { privateKey, client } = await openPayer(endpoint.url)
  await expect(pay(client, { privateKey }, { units: 1_000_000n })).resolves.toMatchObject({ coin: 'native' })
  expect(unknown).toBeGreaterThan(4)
})

test('a program that aborted the wait for a block exits by itself', async () => {
  let polls = 0
  let stop = () => {}
  await using endpoint = await startRpcLiar(place.chain.url, ({ method }) => {
    if (method === 'eth_blockNumber' && ++polls === 4) stop()
  })
  const { privateKey, client } = await openPayer(endpoint.url)
  const program = join(import.meta.dirname, '../faults/abort-payment-program.ts')
  const args = ['--conditions=@cairn/source', program, JSON.stringify(client.network), privateKey]
  const { miner } = place.chain
  await miner.setAutomine(false)
  try {
    const running = promisify(execFile)(process.execPath, args)
    stop = () => running.child.kill('SIGINT')
    expect(await running).toMatchObject({ stdout: 'ABORTED' })
  } finally {
    await miner.mine({ blocks: 1 })
    await miner.setAutomine(true)
  }
})

test('an endpoint that asks to wait for a day does not delay a payment', async () => {
  const asked = new Set<string>()
  await using endpoint = await startRpcLiar(place.chain.url, ({ method }, response) => {
    if (asked.has(method)) return
    asked.add(method)
    response.writeHead(429, { 'retry-after': '86400' }).end()
  })
  const { privateKey, client } = await openPayer(endpoint.url)
  // Sending is not repeated: the endpoint may have passed it on.
  asked.add('eth_sendRawTransaction')
  await expect(pay(client, { privateKey }, { units: 1_000_000n })).resolves.toMatchObject({ coin: 'native' })
  expect(asked.size).toBeGreaterThan(3)
})
