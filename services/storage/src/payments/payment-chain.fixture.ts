import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localDaiAbi, localPriceFeedAbi, localUsdcAbi, localUsdtAbi, paymentsAbi } from '@cairn/contracts'
import {
  localDaiBytecode,
  localPriceFeedBytecode,
  localUsdcBytecode,
  localUsdtBytecode,
  paymentsBytecode,
} from '@cairn/contracts/deploy'
import { startTestChain, type TestChain, type Wallet } from '@cairn/service/test-chain-fixture'
import { type Hex, parseAbi } from 'viem'

/** A chain with the payment contract, three stablecoins and a price feed at 2,000 dollars per coin. */
export type PaymentChain = AsyncDisposable & {
  chain: TestChain
  payments: Hex
  tokens: { usdc: Hex; usdt: Hex; dai: Hex }
  feed: Hex
  alice: Wallet
  bob: Wallet
  /** The value of `CAIRN_PAYMENTS` for it; `network` overrides parts. */
  settings(network?: Record<string, unknown>): string
  pay(from: Wallet, value: bigint): Promise<Hex>
  payFor(from: Wallet, beneficiary: Hex, value: bigint): Promise<Hex>
  /** Makes several payments in one transaction, each of which is an event of it. */
  payTogether(from: Wallet, values: readonly bigint[]): Promise<Hex>
  /** Pays after a number of logs that say nothing, in the same transaction. */
  payAmongLogs(from: Wallet, value: bigint, logs: number): Promise<Hex>
  /** @param token one of the three stablecoins, or the address of another contract */
  payToken(from: Wallet, token: 'usdc' | 'usdt' | 'dai' | Hex, units: bigint): Promise<Hex>
  /** Deploys another token with six decimals and funds both wallets. */
  addToken(options?: { isAllowed: boolean }): Promise<Hex>
  /** Deploys a feed with eight decimals. */
  addFeed(price: bigint): Promise<Hex>
  /** Mines empty blocks. */
  mine(blocks: number): Promise<void>
  /** @param to defaults to the feed of the chain's coin */
  pushPrice(price: bigint, to?: Hex): Promise<void>
}

export const feedDecimals = 8
const approveAbi = parseAbi(['function approve(address spender, uint256 value)'])

export async function startPaymentChain(args: readonly string[] = []): Promise<PaymentChain> {
  const chain = await startTestChain(args)
  const [owner, alice, bob] = chain.wallets
  const payments = await chain.deploy(paymentsAbi, paymentsBytecode, [owner.account.address])
  const usdc = await chain.deploy(localUsdcAbi, localUsdcBytecode)
  const usdt = await chain.deploy(localUsdtAbi, localUsdtBytecode)
  const dai = await chain.deploy(localDaiAbi, localDaiBytecode)
  const feed = await chain.deploy(localPriceFeedAbi, localPriceFeedBytecode, [
    feedDecimals,
    'ETH / USD',
    2000_00000000n,
  ])
  const wait = async (hash: Hex): Promise<Hex> => {
    const { status } = await chain.reader.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error('the transaction was reverted')
    return hash
  }
  /** Code that pays an amount, to run in a contract's constructor. */
  const codeOfPayment = (value: bigint): string =>
    `600060006000600067${value.toString(16).padStart(16, '0')}73${payments.slice(2)}5af150`
  const tokens = { usdc, usdt, dai }
  const setUp = async (token: Hex, isAllowed: boolean): Promise<void> => {
    const admin = { address: payments, abi: paymentsAbi } as const
    if (isAllowed) {
      await wait(await owner.writeContract({ ...admin, functionName: 'updateERC20Token', args: [token, true] }))
    }
    for (const wallet of [alice, bob]) {
      const args = [wallet.account.address, 10n ** 24n] as const
      await wait(await owner.writeContract({ address: token, abi: localUsdcAbi, functionName: 'mint', args }))
    }
  }
  for (const token of Object.values(tokens)) await setUp(token, true)
  return {
    chain,
    payments,
    tokens,
    feed,
    alice,
    bob,
    settings: (network = {}) =>
      JSON.stringify({
        networks: {
          local: {
            chainId: 31337,
            rpcUrls: [chain.url],
            contract: payments,
            symbol: 'ETH',
            finality: { blocks: 2 },
            tokens: {
              usdc: { address: usdc, decimals: 6 },
              usdt: { address: usdt, decimals: 6 },
              dai: { address: dai, decimals: 18 },
            },
            pollMs: 50,
            ...network,
          },
        },
        prices: { ETH: { feeds: [{ network: 'local', address: feed, heartbeatSeconds: 86_400 }] } },
      }),
    async pay(from, value) {
      return wait(await from.sendTransaction({ to: payments, value }))
    },
    async payFor(from, beneficiary, value) {
      const args = [beneficiary] as const
      return wait(
        await from.writeContract({ address: payments, abi: paymentsAbi, functionName: 'payFor', args, value }),
      )
    },
    async payTogether(from, values) {
      const value = values.reduce((sum, one) => sum + one, 0n)
      return wait(
        await from.sendTransaction({ data: `0x${values.map(codeOfPayment).join('')}00`, value, gas: 300_000n }),
      )
    },
    async payAmongLogs(from, value, logs) {
      // A loop that counts down from the number of logs.
      const loop = `62${logs.toString(16).padStart(6, '0')}5b60006000a06001900380600457`
      return wait(await from.sendTransaction({ data: `0x${loop}${codeOfPayment(value)}00`, value, gas: 28_000_000n }))
    },
    async addToken({ isAllowed } = { isAllowed: true }) {
      const token = await chain.deploy(localUsdcAbi, localUsdcBytecode)
      await setUp(token, isAllowed)
      return token
    },
    addFeed: (price) => chain.deploy(localPriceFeedAbi, localPriceFeedBytecode, [feedDecimals, 'X / USD', price]),
    async payToken(from, which, units) {
      const token = which === 'usdc' || which === 'usdt' || which === 'dai' ? tokens[which] : which
      await wait(
        await from.writeContract({ address: token, abi: approveAbi, functionName: 'approve', args: [payments, units] }),
      )
      const args = [units, token] as const
      return wait(await from.writeContract({ address: payments, abi: paymentsAbi, functionName: 'receiveToken', args }))
    },
    async mine(blocks) {
      await chain.miner.mine({ blocks })
    },
    async pushPrice(price, to = feed) {
      await wait(
        await owner.writeContract({ address: to, abi: localPriceFeedAbi, functionName: 'push', args: [price] }),
      )
    },
    [Symbol.asyncDispose]: () => chain[Symbol.asyncDispose](),
  }
}

export type Question = { id: number; method: string; params: unknown[] }

/** The answer of the real endpoint. */
export type TrueAnswer = { result?: unknown }

/**
 * Starts an endpoint in front of another that changes its answers as a test requires; undefined passes them on.
 * @param lie receives `ask`, which queries the real endpoint
 */
export async function startRpcLiar(
  target: string,
  lie: (question: Question, response: ServerResponse, ask: () => Promise<TrueAnswer>) => unknown,
): Promise<AsyncDisposable & { url: string }> {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const question: Question = JSON.parse(Buffer.concat(pieces).toString('utf8'))
    const ask = async (): Promise<TrueAnswer> => {
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(question),
      })
      return JSON.parse(await answer.text())
    }
    const lied = await lie(question, response, ask)
    if (response.writableEnded || response.destroyed) return
    response.setHeader('content-type', 'application/json')
    if (lied !== undefined) {
      response.end(JSON.stringify({ jsonrpc: '2.0', id: question.id, ...(lied as object) }))
      return
    }
    response.end(JSON.stringify(await ask()))
  }
  const server: Server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
