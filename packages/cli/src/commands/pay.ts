import { formatBytes } from '@cairn/protocol'
import {
  CairnError,
  type Client,
  type Coin,
  findChain,
  getPrice,
  isCoin,
  listPayments,
  networks,
  type Payment,
  type PaymentReport,
  pay as payForStorage,
  useFaucet,
  waitForCredit,
} from '@cairn/sdk'
import { readAddress } from '../arguments/read-addresses.ts'
import { type Command, type CommandContext, flag, text } from '../command.ts'
import { openWallet } from '../keys/open-wallet.ts'
import { describeAmount } from '../text/amounts.ts'
import { parseBytes } from '../text/sizes.ts'
import { formatTime } from '../text/times.ts'

const coins = ['native', ...Object.keys(networks.polygon.tokens)]
const coinList = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(coins)

const coinOption = {
  coin: { type: 'string', value: 'coin', choices: coins, about: `${coinList} (native)` },
  chain: { type: 'string', value: 'name', about: 'chain to pay on (first chain of the network)' },
} as const

function readCoin({ values }: CommandContext): Coin {
  const coin = text(values, 'coin') ?? 'native'
  if (!isCoin(coin)) throw new CairnError('USAGE', { message: `Unknown coin "${coin}". Use ${coinList}` })
  return coin
}

/** Returns the wallet that pays: the user's own, or the test wallet of a local network. */
async function findPayer(context: CommandContext, client: Client): Promise<{ address: string; privateKey: string }> {
  const { wallet } = client.network
  if ((await context.state.readWallet()) !== undefined || wallet === undefined) return openWallet(context)
  context.output.note(`Paying with the local network's test wallet ${wallet.address}.`)
  return wallet
}

/** Returns the receiver of test coins: the user's wallet, which stays locked, or the test wallet of a local network. */
async function findReceiver({ state }: CommandContext, { network }: Client): Promise<string> {
  const address = (await state.readAddress()) ?? network.wallet?.address
  if (address === undefined) throw new CairnError('NO_WALLET')
  return address
}

function describeState({ state, reason, confirmations }: Payment): string {
  if (state === 'seen') {
    const { have, need } = confirmations ?? { have: 0, need: null }
    return need === null ? `confirming, ${have} blocks` : `confirming ${have}/${need}`
  }
  if (state === 'unpriced') return 'waiting for a price'
  return reason === null ? state : `${state}: ${reason}`
}

function describeReport({ payments, fault }: PaymentReport): string {
  const [first] = payments
  const what = first === undefined ? 'waiting for a block' : describeState(first)
  return fault === null ? what : `${what} (${fault})`
}

export const pay: Command = {
  name: 'pay',
  summary: 'Buy storage with a wallet',
  usage: '<size>',
  arity: [1, 1],
  options: {
    ...coinOption,
    token: { type: 'string', value: 'address', about: 'token contract, if the coin has several' },
    for: { type: 'string', value: 'address', about: 'account that receives the storage (the wallet’s own)' },
    yes: { type: 'boolean', short: 'y', about: 'skip the confirmation' },
    'no-wait': { type: 'boolean', about: 'do not wait for the credit' },
  },
  examples: ['cairn pay 1GiB', 'cairn pay 500MiB --coin usdc --chain polygon'],
  async run(context) {
    const { args, values, session, output, prompt, signal } = context
    const forAddress = text(values, 'for')
    const beneficiary = forAddress === undefined ? undefined : readAddress(forAddress)
    const client = await session.anonymous()
    const sizeBytes = parseBytes(args[0] ?? '')
    const coin = readCoin(context)
    const chain = findChain(client, text(values, 'chain'))
    const price = await getPrice(client, sizeBytes, { network: chain.name, coin }, { signal })
    const question = `Pay ${price.amount} ${price.symbol} on ${chain.name} for ${formatBytes(sizeBytes)}?`
    if (!flag(values, 'yes') && !(await prompt.confirm(question))) {
      output.note('Nothing was paid.')
      throw new CairnError('ABORTED')
    }
    const { privateKey } = await findPayer(context, client)
    const token = text(values, 'token')
    const params = {
      units: price.units,
      coin,
      network: chain.name,
      ...(token === undefined ? {} : { token }),
      ...(beneficiary === undefined ? {} : { beneficiary }),
    }
    let txHash: string | undefined
    // Without notes, nothing else names the transaction of a payment that was sent.
    const showSent = (error: unknown): never => {
      if (txHash !== undefined && (output.isJson || output.isQuiet) && !CairnError.is(error, 'PAYMENT_FAILED')) {
        const sent = { ...params, units: price.units.toString(), amount: price.amount, symbol: price.symbol, txHash }
        output.result({ ...sent, state: 'sent' }, '', txHash)
      }
      throw error
    }
    const paid = await payForStorage(client, { privateKey }, params, {
      signal,
      onEvent: (event) => {
        if (event.step === 'approving') output.note(`Approving ${price.amount} ${price.symbol}…`)
        if (event.step !== 'sent') return
        txHash = event.txHash
        output.note(`Transaction ${txHash}`)
      },
    }).catch(showSent)
    const facts = { ...paid, units: paid.units.toString(), amount: price.amount, symbol: price.symbol }
    if (flag(values, 'no-wait')) {
      output.result(facts, `Paid with transaction ${paid.txHash}. To check its status: cairn payments`, paid.txHash)
      return
    }
    let last = ''
    const payments = await waitForCredit(client, paid.network, paid.txHash, {
      signal,
      onUpdate: (report) => {
        const now = describeReport(report)
        if (now !== last) output.note(now)
        last = now
      },
    }).catch(showSent)
    const bytes = payments.reduce((sum, payment) => sum + (payment.bytes ?? 0), 0)
    const refused = payments.find(({ state }) => state === 'refused')
    if (refused !== undefined) {
      throw new CairnError('PAYMENT_FAILED', {
        message: refused.reason ?? 'The payment was not credited',
        details: facts,
      })
    }
    output.result(
      { ...facts, bytes, state: 'credited' },
      `Bought ${formatBytes(bytes)} for ${paid.beneficiary}.`,
      paid.txHash,
    )
  },
}

export const price: Command = {
  name: 'price',
  summary: 'Show the price of storage',
  usage: '<size>',
  arity: [1, 1],
  options: coinOption,
  examples: ['cairn price 1GiB', 'cairn price 10GiB --coin dai'],
  async run(context) {
    const { args, values, session, output, signal } = context
    const client = await session.anonymous()
    const network = text(values, 'chain')
    const sizeBytes = parseBytes(args[0] ?? '')
    const found = await getPrice(
      client,
      sizeBytes,
      { coin: readCoin(context), ...(network === undefined ? {} : { network }) },
      { signal },
    )
    output.result(
      { ...found, units: found.units.toString(), sizeBytes },
      `${formatBytes(sizeBytes)} costs ${found.amount} ${found.symbol} on ${found.network}.`,
      found.amount,
    )
  },
}

export const payments: Command = {
  name: 'payments',
  summary: 'List your payments and their status',
  usage: '',
  arity: [0, 0],
  examples: ['cairn payments'],
  async run({ session, output, signal }) {
    const client = await session.client()
    const { network } = client
    const all: Payment[] = []
    for await (const payment of listPayments(client, { signal })) all.push(payment)
    output.table(
      ['TIME', 'AMOUNT', 'BOUGHT', 'STATE', 'CHAIN', 'TRANSACTION'],
      all.map((payment) => [
        formatTime(payment.seenAt),
        describeAmount(network, payment),
        payment.bytes === null ? '–' : formatBytes(payment.bytes),
        describeState(payment),
        payment.network,
        payment.txHash,
      ]),
      all,
      'TRANSACTION',
    )
    if (all.length === 0) output.note('No payments yet. Buy storage: cairn pay 1GiB')
  },
}

export const faucet: Command = {
  name: 'faucet',
  summary: 'Get test coins on a local network',
  usage: '[address]',
  arity: [0, 1],
  options: { coin: { type: 'string', value: 'coin', choices: coins, about: `${coinList} (all)` } },
  examples: ['cairn faucet', 'cairn faucet 0x… --coin usdc'],
  async run(context) {
    const { args, values, session, output, signal } = context
    const client = await session.anonymous()
    const address = args[0] ?? (await findReceiver(context, client))
    const coin = text(values, 'coin') === undefined ? undefined : readCoin(context)
    const sent = await useFaucet(client, address, coin, { signal })
    output.result(
      { address, sent },
      sent.map((one) => `Sent ${describeAmount(client.network, one)} to ${address}`),
      address,
    )
  },
}
