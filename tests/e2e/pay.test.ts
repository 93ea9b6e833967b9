// Payments from a wallet, on the local network as `npm start` runs it: all coins, for others, with a browser's wallet, errors,
// the command line, restarts.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNetwork } from '@cairn/local'
import { GIB, MIB } from '@cairn/protocol'
import {
  authorizeOnce,
  CairnError,
  type Coin,
  createApiKey,
  createClient,
  getPrice,
  getQuotaReport,
  getUsage,
  listPayments,
  type PayEvent,
  pay,
  uploadText,
  useFaucet,
  waitForCredit,
} from '@cairn/sdk'
import { createPublicClient, createWalletClient, type Hex, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { anvil } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAdmin } from '../../services/storage/src/admin/admin.fixture.ts'
import { startRpcLiar } from '../../services/storage/src/payments/payment-chain.fixture.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runCli } from '../run-cli.ts'
import { createProvider, type WalletOptions } from './wallet-provider.fixture.ts'

const free = 10 * MIB
/** viem defaults to four seconds. */
const pollingInterval = 20
let network: TestNetwork

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_FREE_BYTES: String(free) }, 'local')
})
afterAll(() => network?.[Symbol.asyncDispose]())

/** A wallet with test coins and an API key. */
async function openPayer({ isFunded = true } = {}) {
  const privateKey = generatePrivateKey()
  const signer = { privateKey }
  const { address } = privateKeyToAccount(privateKey)
  const anonymous = createClient({ network: network.profile })
  const client = createClient({ network: network.profile, apiKey: await createApiKey(anonymous, signer) })
  if (isFunded) await useFaucet(client, address)
  return { client, signer, address, privateKey }
}

async function buy(coin: Coin, sizeBytes: number, payer: Awaited<ReturnType<typeof openPayer>>, beneficiary?: string) {
  const events: PayEvent[] = []
  const params = { sizeBytes, coin, ...(beneficiary === undefined ? {} : { beneficiary }) }
  const paid = await pay(payer.client, payer.signer, params, { onEvent: (event) => events.push(event) })
  const payments = await waitForCredit(payer.client, paid.network, paid.txHash)
  return { paid, payments, events }
}

test('clients quote the price that the operator set, and the quoted amount buys the size', async () => {
  const admin = (...args: string[]) => runAdmin({ CAIRN_HOME: network.storage.context.config.home }, ...args)
  const payer = await openPayer()
  expect(await getPrice(payer.client, GIB, { coin: 'usdc' })).toMatchObject({ units: 4_000_000n, usd: 4 })
  expect((await admin('price', 'set', '0.5')).code).toBe(0)
  try {
    expect(await getPrice(payer.client, GIB, { coin: 'usdc' })).toMatchObject({
      units: 500_000n,
      amount: '0.5',
      usd: 0.5,
    })
    const { payments } = await buy('native', 3 * MIB, payer)
    expect(payments[0]?.bytes).toBeGreaterThanOrEqual(3 * MIB)
    expect(payments[0]?.bytes).toBeLessThan(3 * MIB + 1024)
  } finally {
    // Within ten minutes of this, payments still buy at the lower price.
    await network.storage.context.db.write((trx) =>
      trx.deleteFrom('operator_setting').where('effective_at', '>', 0).execute(),
    )
  }
})

describe.each(['native', 'usdc', 'usdt', 'dai'] as const)('in %s', (coin) => {
  test('a price buys the requested storage, and every step is reported', async () => {
    const payer = await openPayer()
    const { paid, payments, events } = await buy(coin, 3 * MIB, payer)
    expect(payments).toMatchObject([{ state: 'credited', coin, units: paid.units.toString() }])
    const [{ bytes } = { bytes: 0 }] = payments
    expect(bytes).toBeGreaterThanOrEqual(3 * MIB)
    const { limitBytes } = await getUsage(payer.client)
    expect(limitBytes).toBe(free + (bytes ?? 0))
    expect(events.at(-1)).toEqual({ step: 'mined', txHash: paid.txHash })
    expect(events.map(({ step }) => step)).toEqual(
      coin === 'native' ? ['paying', 'sent', 'mined'] : ['approving', 'approved', 'paying', 'sent', 'mined'],
    )
    const report = await getQuotaReport(payer.client)
    expect(report).toMatchObject({ limitBytes, allowanceBytes: free, boughtBytes: bytes, usedBytes: 0 })
    expect(report.entries.map(({ kind }) => kind)).toEqual(['payment', 'allowance'])
    const listed = []
    for await (const payment of listPayments(payer.client)) listed.push(payment)
    expect(listed).toEqual(payments)
  })

  test('pays for another account', async () => {
    const payer = await openPayer()
    const friend = await openPayer({ isFunded: false })
    await buy(coin, MIB, payer, friend.address)
    expect((await getUsage(payer.client)).limitBytes).toBe(free)
    expect((await getUsage(friend.client)).limitBytes).toBeGreaterThanOrEqual(free + MIB)
  })
})

test('pays with the token of a coin that the wallet has, or with the requested one', async () => {
  const payer = await openPayer()
  const { chain } = network.profile
  if (chain === undefined) throw new Error('the network has no chain')
  const [usdc, usdt] = [chain.tokens['usdc']?.address, chain.tokens['usdt']?.address] as [Hex, Hex]
  // A network that accepts two tokens as one coin: the service credits either, and the client chooses.
  const token = (symbol: string, address: string) => ({ coin: 'usdc', symbol, address, decimals: 6 })
  const chains = [{ ...chain, tokenList: [token('USDC', usdc), token('USDC.e', usdt)] }]
  const client = createClient({ network: { ...network.profile, chain: chains[0], chains } })
  const params = { sizeBytes: MIB, coin: 'usdc' } as const
  expect(await pay(client, payer.signer, params)).toMatchObject({ token: usdc.toLowerCase() })
  expect(await pay(client, payer.signer, { ...params, token: usdt })).toMatchObject({ token: usdt.toLowerCase() })
  const reader = createPublicClient({ chain: anvil, transport: http(chain.rpcUrl), pollingInterval })
  const wallet = createWalletClient({
    account: privateKeyToAccount(payer.privateKey),
    chain: anvil,
    transport: http(chain.rpcUrl),
  })
  const abi = parseAbi(['function balanceOf(address) view returns (uint256)', 'function transfer(address, uint256)'])
  const contract = { address: usdc, abi } as const
  const held = await reader.readContract({ ...contract, functionName: 'balanceOf', args: [payer.address] })
  const hash = await wallet.writeContract({
    ...contract,
    functionName: 'transfer',
    args: [`0x${'7'.repeat(40)}`, held],
  })
  await reader.waitForTransactionReceipt({ hash })
  expect(await pay(client, payer.signer, params)).toMatchObject({ token: usdt.toLowerCase() })
  await expect(pay(client, payer.signer, { ...params, token: usdc })).rejects.toMatchObject({
    code: 'INSUFFICIENT_FUNDS',
  })
  await expect(pay(client, payer.signer, { ...params, token: payer.address })).rejects.toMatchObject({
    code: 'TOKEN_NOT_SUPPORTED',
  })
})

test('waiting for a credit continues while the service does not answer', async () => {
  const payer = await openPayer()
  const { network: chain, txHash } = await pay(payer.client, payer.signer, { sizeBytes: MIB })
  let requests = 0
  const busy = () => new Response('', { status: 503, headers: { 'retry-after': '0' } })
  const fetch: typeof globalThis.fetch = async (input, init) =>
    ++requests <= 7 ? busy() : globalThis.fetch(input, init)
  expect(await waitForCredit({ ...payer.client, fetch }, chain, txHash)).toMatchObject([{ state: 'credited' }])
  const missing = { ...payer.client, fetch: async () => new Response('', { status: 404 }) }
  await expect(waitForCredit(missing, chain, txHash)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('an oversized upload reports what is missing and how to pay for it, and succeeds once it is paid', async () => {
  const payer = await openPayer()
  const text = 'x'.repeat(free + MIB)
  const error = await uploadText(payer.client, text).catch((reason: unknown) => reason)
  if (!CairnError.is(error, 'QUOTA_EXCEEDED')) throw error
  const { missingBytes, pay: ways } = error.details as { missingBytes: number; pay: { tokens: { usdc: string } }[] }
  expect(missingBytes).toBeGreaterThanOrEqual(MIB)
  const paid = await pay(payer.client, payer.signer, { units: BigInt(ways[0]?.tokens.usdc ?? 0), coin: 'usdc' })
  await waitForCredit(payer.client, paid.network, paid.txHash)
  const { cid } = await uploadText(payer.client, text)
  expect(cid).toMatch(/^baf/)
  await expect(uploadText(payer.client, text)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
})

test('one signature is valid for one upload, and for nothing else', async () => {
  const { signer, client } = await openPayer({ isFunded: false })
  const token = await authorizeOnce(client, signer)
  const once = createClient({ network: network.profile, apiKey: token })
  const [publicKey = '', signedMessage = ''] = token.split('$')
  const stolen = await fetch(`${network.profile.api}/api/auth/create_api_key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey, signedMessage }),
  })
  expect([stolen.status, stolen.headers.get('x-cairn-code')]).toEqual([403, 'SIGNED_FOR_ANOTHER_USE'])
  await expect(getUsage(once)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const both = await Promise.allSettled([uploadText(once, 'paid once'), uploadText(once, 'paid twice')])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(uploadText(once, 'thrice')).rejects.toMatchObject({ code: 'CHALLENGE_EXPIRED' })
  expect((await getUsage(client)).usedBytes).toBeGreaterThan(0)
  const forged = createClient({ network: network.profile, apiKey: `${'0x'.padEnd(42, '1')}$0x12` })
  await expect(uploadText(forged, 'no')).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
})

describe('before a payment', () => {
  test('reports missing money, network, coin or amount, and sends nothing', async () => {
    const poor = await openPayer({ isFunded: false })
    for (const coin of ['native', 'usdc'] as const) {
      const symbol = coin === 'native' ? 'ETH' : 'USDC'
      await expect(pay(poor.client, poor.signer, { sizeBytes: MIB, coin })).rejects.toMatchObject({
        code: 'INSUFFICIENT_FUNDS',
        message: expect.stringMatching(new RegExp(`^The wallet has 0 ${symbol}, the payment needs 0\\.\\d+$`)),
      })
    }
    await expect(pay(poor.client, poor.signer, { sizeBytes: MIB, network: 'moon' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_NETWORK',
      message: 'Unsupported Network!!!',
      details: { networks: ['local'] },
    })
    await expect(pay(poor.client, poor.signer, {})).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(pay(poor.client, { privateKey: '0x12' }, { sizeBytes: MIB })).rejects.toMatchObject({
      code: 'INVALID_PRIVATE_KEY',
    })
    await expect(getPrice(poor.client, MIB, { network: 'moon', coin: 'usdc' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_NETWORK',
    })
  })

  test('rejects an invalid amount or beneficiary, and a token that the service would not credit now', async () => {
    const payer = await openPayer()
    const events: PayEvent[] = []
    const onEvent = (event: PayEvent) => events.push(event)
    for (const units of [0n, -1n]) {
      const paid = pay(payer.client, payer.signer, { units }, { onEvent })
      await expect(paid).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    }
    const misspelt = { units: 1n, beneficiary: payer.address.slice(0, -1) }
    await expect(pay(payer.client, payer.signer, misspelt, { onEvent })).rejects.toMatchObject({
      code: 'INVALID_ADDRESS',
    })
    const { chain } = network.profile
    if (chain === undefined) throw new Error('the network has no chain')
    const { address } = chain.tokens['usdc'] ?? { address: '' }
    const withFloor = (price: number) => {
      const token = { coin: 'usdc', symbol: 'USDC', address, decimals: 6, floor: { symbol: 'ETH', price } }
      const one = { ...chain, tokenList: [token] }
      return { ...payer.client, network: { ...network.profile, chain: one, chains: [one] } }
    }
    const params = { units: 1_000_000n, coin: 'usdc' } as const
    await expect(pay(withFloor(1e9), payer.signer, params, { onEvent })).rejects.toMatchObject({
      code: 'PRICE_UNKNOWN',
      details: { symbol: 'USDC', floor: 1e9 },
    })
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init)
      if (!(input instanceof Request ? input.url : String(input)).endsWith('cairn.json')) return response
      return Response.json({ ...((await response.json()) as object), usdPerGib: 1e-9 })
    }
    const amounts = { native: 10n ** 12n, usdc: 10n ** 7n }
    for (const coin of ['native', 'usdc'] as const) {
      const much = pay({ ...payer.client, fetch }, payer.signer, { units: amounts[coin], coin }, { onEvent })
      await expect(much).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: 'The payment buys more than 1.00 PiB, the maximum for one payment',
      })
    }
    await expect(pay(payer.client, payer.signer, { units: 1n }, { onEvent })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'The payment buys nothing',
    })
    expect(events).toEqual([])
    expect(await pay(withFloor(1), payer.signer, params)).toMatchObject({ units: 1_000_000n })
  })

  test('a chain whose contract has the zero address has no payment contract', async () => {
    const payer = await openPayer()
    const { chain } = network.profile
    if (chain === undefined) throw new Error('the network has no chain')
    const empty = { ...chain, paymentContract: `0x${'0'.repeat(40)}` }
    const client = { ...payer.client, network: { ...network.profile, chain: empty, chains: [empty] } }
    for (const coin of ['native', 'usdc'] as const)
      await expect(pay(client, payer.signer, { sizeBytes: MIB, coin })).rejects.toMatchObject({
        code: 'UNSUPPORTED_NETWORK',
        message: 'No payment contract is configured on local',
        details: { networks: [] },
      })
  })

  test('resets a conflicting allowance', async () => {
    const payer = await openPayer()
    const { chain } = network.profile
    const wallet = createWalletClient({
      account: privateKeyToAccount(payer.privateKey),
      chain: anvil,
      transport: http(chain?.rpcUrl),
    })
    const usdt = chain?.tokens['usdt']?.address as Hex
    const approve = [
      {
        type: 'function',
        name: 'approve',
        stateMutability: 'nonpayable',
        inputs: [{ type: 'address' }, { type: 'uint256' }],
        outputs: [],
      },
    ] as const
    const hash = await wallet.writeContract({
      address: usdt,
      abi: approve,
      functionName: 'approve',
      args: [chain?.paymentContract as Hex, 1n],
    })
    const reader = createPublicClient({ chain: anvil, transport: http(chain?.rpcUrl), pollingInterval })
    await reader.waitForTransactionReceipt({ hash })
    const { payments, events } = await buy('usdt', MIB, payer)
    expect(payments).toMatchObject([{ state: 'credited' }])
    expect(events.filter(({ step }) => step === 'approving')).toHaveLength(2)
  })
})

describe('with a browser wallet', () => {
  const openProvider = (privateKey: Hex, options?: WalletOptions) =>
    createProvider(network.profile.chain?.rpcUrl ?? '', privateKey, options)

  test('asks it to change the chain, and pays in two steps', async () => {
    const payer = await openPayer()
    const { provider, asked } = openProvider(payer.privateKey)
    const paid = await pay(payer.client, { provider }, { sizeBytes: MIB, coin: 'dai' })
    expect(await waitForCredit(payer.client, paid.network, paid.txHash)).toMatchObject([{ state: 'credited' }])
    expect(asked).toContain('wallet_switchEthereumChain')
    expect(asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(2)
  })

  test('approves and pays at once if it can', async () => {
    const payer = await openPayer()
    const { provider, asked } = openProvider(payer.privateKey, { batches: true })
    const paid = await pay(payer.client, { provider }, { sizeBytes: MIB, coin: 'usdc' })
    expect(await waitForCredit(payer.client, paid.network, paid.txHash)).toMatchObject([{ state: 'credited' }])
    expect(asked).not.toContain('eth_sendTransaction')
  })

  test('pays in two steps if its user refuses the account type that batches need', async () => {
    const payer = await openPayer()
    const { provider, asked } = openProvider(payer.privateKey, {
      batches: true,
      at: (method) => {
        if (method === 'wallet_sendCalls') throw Object.assign(new Error('upgrade rejected'), { code: 5750 })
      },
    })
    const paid = await pay(payer.client, { provider }, { sizeBytes: MIB, coin: 'usdc' })
    expect(await waitForCredit(payer.client, paid.network, paid.txHash)).toMatchObject([{ state: 'credited' }])
    expect(asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(2)
  })

  test('accepts a wallet client of viem as it is', async () => {
    const payer = await openPayer()
    const account = privateKeyToAccount(payer.privateKey)
    const walletClient = createWalletClient({ account, chain: anvil, transport: http(network.profile.chain?.rpcUrl) })
    const paid = await pay(payer.client, { walletClient }, { sizeBytes: MIB, coin: 'usdc' })
    expect(await waitForCredit(payer.client, paid.network, paid.txHash)).toMatchObject([{ state: 'credited' }])
    const none = createWalletClient({ chain: anvil, transport: http(network.profile.chain?.rpcUrl) })
    await expect(pay(payer.client, { walletClient: none }, { sizeBytes: MIB })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })

  test('a rejection in the wallet pays nothing, and is reported', async () => {
    const payer = await openPayer()
    const { provider } = openProvider(payer.privateKey, {
      at: (method) => {
        if (method === 'eth_sendTransaction')
          throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
      },
    })
    await expect(pay(payer.client, { provider }, { sizeBytes: MIB })).rejects.toMatchObject({
      code: 'PAYMENT_REJECTED',
    })
    expect((await getUsage(payer.client)).limitBytes).toBe(free)
  })
})

test('the command line shows prices, pays, and lists payments and balances', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-cli-pay-'))
  try {
    const cairn = (...args: string[]) =>
      runCli(args, { cwd: home, env: { CAIRN_CONFIG_HOME: home, CAIRN_NETWORK: join(network.home, 'network.json') } })
    expect((await cairn('price', '1GiB', '--coin', 'usdc')).out).toContain('1.00 GiB costs 4 USDC on local')
    // JSON is an output format, not consent.
    expect(await cairn('pay', '1GiB', '--coin', 'usdc', '--json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Add --yes to confirm.'),
    })
    expect(await cairn('payments', '--json')).toMatchObject({ code: 0, out: '' })
    const paid = await cairn('pay', '1GiB', '--coin', 'usdc', '--yes', '--json')
    expect(JSON.parse(paid.out)).toMatchObject({ state: 'credited', coin: 'usdc', units: '4000000', network: 'local' })
    const listed = (await cairn('payments')).out
    expect(listed).toContain('credited')
    expect(listed).toMatch(/\d (?:ETH|USDC) /)
    expect((await cairn('faucet', '--coin', 'usdc')).out).toMatch(/^Sent [\d.]+ USDC to 0x/)
    expect(JSON.parse((await cairn('balance', '--json')).out)).toMatchObject({
      allowanceBytes: free,
      boughtBytes: 1073741958,
    })
    expect(await cairn('pay', 'much')).toMatchObject({ code: 2, err: expect.stringContaining('not a size') })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})

test.for([
  { form: 'lines', options: [] },
  { form: 'JSON', options: ['--json'] },
  { form: 'values', options: ['--quiet'] },
])(
  'Ctrl-C while a payment waits for its block ends the command line, which names it: $form',
  async ({ form, options }, { onTestFinished }) => {
    const home = await mkdtemp(join(tmpdir(), 'cairn-cli-pay-stop-'))
    const { chain } = network.profile
    if (chain === undefined) throw new Error('no chain')
    let stop: () => void = () => undefined
    // An endpoint that never sees the transaction.
    await using endpoint = await startRpcLiar(chain.rpcUrl, ({ method }) => {
      if (method === 'eth_getTransactionReceipt') stop()
      return method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash'
        ? { result: null }
        : undefined
    })
    try {
      const held = { ...chain, rpcUrl: endpoint.url }
      await writeFile(join(home, 'held.json'), JSON.stringify({ ...network.profile, chain: held, chains: [held] }))
      const stopped = await runCli(['pay', '1GiB', '--yes', ...options], {
        cwd: home,
        env: { CAIRN_CONFIG_HOME: home, CAIRN_NETWORK: join(home, 'held.json') },
        started: (child) => {
          onTestFinished(async () => {
            if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
          })
          stop = () => {
            // A second signal would end the process without waiting.
            stop = () => undefined
            child.kill('SIGINT')
          }
        },
      })
      const { code, out, err } = stopped
      expect(code).toBe(130)
      const txHash = expect.stringMatching(/^0x[0-9a-f]{64}$/)
      if (form === 'lines') expect([out, err]).toEqual(['', expect.stringMatching(/^Transaction 0x[0-9a-f]{64}$/m)])
      else expect(err).toBe('')
      if (form === 'JSON') expect(JSON.parse(out)).toMatchObject({ txHash, state: 'sent', coin: 'native' })
      if (form === 'values') expect(out.trim()).toEqual(txHash)
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  },
)

test('a restart keeps chain, contracts and credits, and credits what was paid meanwhile', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-pay-restart-'))
  const options = { home, ports: 'any' as const, environment: { CAIRN_LOG_LEVEL: 'silent' } }
  try {
    const before = await createNetwork(options)
    const signer = { privateKey: before.profile.wallet.privateKey }
    const open = async (profile: typeof before.profile) =>
      createClient({ network: profile, apiKey: await createApiKey(createClient({ network: profile }), signer) })
    const client = await open(before.profile)
    const first = await pay(client, signer, { sizeBytes: MIB })
    await waitForCredit(client, first.network, first.txHash)
    const had = await getUsage(client)
    // Sent without waiting: the service may not have seen it when it stops.
    const second = await pay(client, signer, { sizeBytes: MIB })
    await before[Symbol.asyncDispose]()

    await using after = await createNetwork(options)
    expect(after.profile.chain?.paymentContract).toBe(before.profile.chain?.paymentContract)
    const again = await open(after.profile)
    expect(await waitForCredit(again, second.network, second.txHash)).toMatchObject([{ state: 'credited' }])
    expect((await getUsage(again)).limitBytes).toBe(had.limitBytes + MIB)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
