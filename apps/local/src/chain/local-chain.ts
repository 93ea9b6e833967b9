import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localDaiAbi, localPriceFeedAbi, localUsdcAbi, localUsdtAbi, paymentsAbi } from '@cairn/contracts'
import {
  localDaiBytecode,
  localPriceFeedBytecode,
  localUsdcBytecode,
  localUsdtBytecode,
  paymentsBytecode,
} from '@cairn/contracts/deploy'
import { networks, type Stablecoin, stablecoins } from '@cairn/protocol'
import { waitForReceipt } from '@cairn/service'
import * as v from 'valibot'
import { type Abi, createPublicClient, createTestClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { nonceManager, privateKeyToAccount } from 'viem/accounts'
import { openSecretKey } from '../home/test-wallet.ts'
import { writeFileWhole } from '../home/write-file-whole.ts'
import { createPartGroup } from '../processes/part-group.ts'
import { type AnvilProcess, startAnvil } from './anvil.ts'
import { keepStateCopy, repairState } from './anvil-state.ts'
import { startMiner } from './miner.ts'
import { publishedTestToken } from './published-test-names.ts'
import { watchPool } from './watch-pool.ts'

/** The chain of a local network, with the payment contract, three stablecoins and price feeds. */
export type LocalChain = AsyncDisposable & {
  readonly url: string
  readonly chainId: number
  /** `CAIRN_PAYMENTS` of this chain. */
  readonly payments: string
  /** Key that owns contracts and test coins. */
  readonly faucetKey: Hex
}

const chainId = 31337
/** Prices of coins on local networks, in cents: fictitious, but of the right magnitude. */
const centsOfCoins = { ETH: 200_000, FIL: 420, MATIC: 50, FTM: 70, BNB: 60_000, TFIL: 420 }
const feedDecimals = 8
/** The feeds of a local network are written at its start, unless they were written within a day, and daily while it runs. */
const heartbeatSeconds = 30 * 86_400
const pushEveryMs = 86_400_000
/** Maximum time of the chain that a kill can lose. */
const copyEveryMs = 300_000
const testCoins = 1000n
const receiptWait = { timeoutMs: 60_000, pollMs: 20 }

const address = v.pipe(
  v.string(),
  v.regex(/^0x[0-9a-fA-F]{40}$/),
  v.transform((text): Hex => `0x${text.slice(2)}`),
)
const deployedSchema = v.object({
  payments: address,
  tokens: v.object(v.entriesFromList(stablecoins, address)),
  feeds: v.record(v.string(), address),
})
type Deployed = v.InferOutput<typeof deployedSchema>

/**
 * Starts the chain on a port (0: any), with the state of earlier runs. The first start deploys the contracts and funds
 * the wallet.
 * @throws CairnError UNAVAILABLE
 */
export async function startLocalChain(
  program: string,
  {
    home,
    host,
    port,
    wallet,
    mineEveryMs,
    signal,
    onNotice = () => undefined,
  }: {
    home: string
    host: string
    port: number
    wallet: string
    mineEveryMs: number
    /** Aborts the start. */
    signal?: AbortSignal | undefined
    /** Called with what the user should know about the state of the chain. */
    onNotice?: ((text: string) => void) | undefined
  },
): Promise<LocalChain> {
  const folder = join(home, 'chain')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const faucetKey = await openSecretKey(join(folder, 'owner.key'))
  await using stack = new AsyncDisposableStack()
  // The miner may be waiting for a hanging chain: its request fails as soon as the chain has stopped.
  const group = stack.use(createPartGroup())
  const stateFile = join(folder, 'state.json')
  const notice = await repairState(stateFile)
  if (notice !== undefined) onNotice(notice)
  const anvil = group.use(await startAnvil(program, { host, port, chainId, stateFile, signal }))
  using _early = endEarly(anvil, signal)
  const work = createDeployer(anvil.url, faucetKey)
  const file = join(folder, 'contracts.json')
  const known = await readDeployed(file)
  const isThere = known !== undefined && (await work.hasCode(known.payments))
  const deployed = isThere ? known : await deployAll(work, wallet)
  if (!isThere) await writeFileWhole(file, `${JSON.stringify(deployed, undefined, 2)}\n`)
  else if (!(await isPriced(work, deployed))) await pushPrices(work, deployed)
  if (!(await work.hasCode(publishedTestToken))) await work.copyCode(deployed.tokens.usdc, publishedTestToken)
  const timer = setInterval(() => {
    // A feed that was not written is stale in a month: the next day retries.
    pushPrices(work, deployed).catch(() => undefined)
  }, pushEveryMs)
  timer.unref()
  stack.defer(() => clearInterval(timer))
  const copies = setInterval(() => {
    keepStateCopy(stateFile).catch((error: unknown) =>
      onNotice(
        `The state of the local chain was not copied: ${error instanceof Error ? error.message : String(error)}`,
      ),
    )
  }, copyEveryMs)
  copies.unref()
  stack.defer(() => clearInterval(copies))
  group.use(await startMiner(work.node, () => watchPool(anvil.url), mineEveryMs))
  const running = stack.move()
  return {
    url: anvil.url,
    chainId,
    faucetKey,
    payments: describePayments(anvil.url, deployed),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Stops the chain when the start is aborted, so that nothing waits for its responses. */
function endEarly(anvil: AnvilProcess, signal: AbortSignal | undefined): Disposable {
  const end = () => void anvil[Symbol.asyncDispose]()
  signal?.addEventListener('abort', end)
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', end) }
}

type Deployer = ReturnType<typeof createDeployer>

function createDeployer(url: string, privateKey: Hex) {
  const chain = defineChain({
    id: chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const transport = http(url)
  const account = privateKeyToAccount(privateKey, { nonceManager })
  const wallet = createWalletClient({ account, chain, ccipRead: false, transport })
  const reader = createPublicClient({ chain, ccipRead: false, transport, pollingInterval: 20 })
  const node = createTestClient({ mode: 'anvil', chain, transport })
  return {
    node,
    owner: account.address,
    async hasCode(where: Hex): Promise<boolean> {
      const code = await reader.getCode({ address: where })
      return code !== undefined && code !== '0x'
    },
    /** Copies the code of a contract, without its state, to another address. */
    async copyCode(from: Hex, to: Hex): Promise<void> {
      const bytecode = await reader.getCode({ address: from })
      if (bytecode === undefined) throw new Error(`the local chain has no contract at ${from}`)
      await node.setCode({ address: to, bytecode })
    },
    async deploy(abi: Abi, bytecode: Hex, args: readonly unknown[] = []): Promise<Hex> {
      const hash = await wallet.deployContract({ abi, bytecode, args })
      const { contractAddress } = await waitForReceipt(reader, hash, receiptWait)
      if (contractAddress == null) throw new Error('a contract of the local chain was not deployed')
      return contractAddress
    },
    async send(to: Hex, abi: Abi, functionName: string, args: readonly unknown[]): Promise<void> {
      const hash = await wallet.writeContract({ address: to, abi, functionName, args })
      const { status } = await waitForReceipt(reader, hash, receiptWait)
      if (status !== 'success') throw new Error(`${functionName} was reverted on the local chain`)
    },
    /** When a feed was last written, in ms since 1970. */
    async pricedAt(feed: Hex): Promise<number> {
      const round = await reader.readContract({
        address: feed,
        abi: localPriceFeedAbi,
        functionName: 'latestRoundData',
      })
      return Number(round[3]) * 1000
    },
    setBalance: (of: Hex, value: bigint) => node.setBalance({ address: of, value }),
  }
}

async function deployAll(work: Deployer, wallet: string): Promise<Deployed> {
  const holder: Hex = `0x${wallet.replace(/^0x/, '')}`
  await work.setBalance(work.owner, 10n ** 27n)
  await work.setBalance(holder, testCoins * 10n ** 18n)
  const payments = await work.deploy(paymentsAbi, paymentsBytecode, [work.owner])
  const tokens: Record<Stablecoin, Hex> = {
    usdc: await work.deploy(localUsdcAbi, localUsdcBytecode),
    usdt: await work.deploy(localUsdtAbi, localUsdtBytecode),
    dai: await work.deploy(localDaiAbi, localDaiBytecode),
  }
  for (const coin of stablecoins) {
    await work.send(payments, paymentsAbi, 'updateERC20Token', [tokens[coin], true])
    const decimals = BigInt(networks.polygon.tokens[coin].decimals)
    await work.send(tokens[coin], localUsdcAbi, 'mint', [holder, testCoins * 10n ** decimals])
  }
  const feeds: Record<string, Hex> = {}
  for (const [symbol, cents] of Object.entries(centsOfCoins)) {
    const args = [feedDecimals, `${symbol} / USD`, priceOf(cents)]
    feeds[symbol] = await work.deploy(localPriceFeedAbi, localPriceFeedBytecode, args)
  }
  return { payments, tokens, feeds }
}

async function pushPrices(work: Deployer, { feeds }: Deployed): Promise<void> {
  for (const [symbol, cents] of Object.entries(centsOfCoins)) {
    const feed = feeds[symbol]
    if (feed !== undefined) await work.send(feed, localPriceFeedAbi, 'push', [priceOf(cents)])
  }
}

/** Whether the feeds were written within a day: six transactions take longer than the rest of the chain's start. */
async function isPriced(work: Deployer, { feeds }: Deployed): Promise<boolean> {
  const addresses = Object.keys(centsOfCoins).map((symbol) => feeds[symbol])
  const times = await Promise.all(addresses.map((feed) => (feed === undefined ? 0 : work.pricedAt(feed))))
  return Math.min(...times) > Date.now() - pushEveryMs
}

function priceOf(cents: number): bigint {
  return (BigInt(cents) * 10n ** BigInt(feedDecimals)) / 100n
}

function describePayments(url: string, { payments, tokens, feeds }: Deployed): string {
  const prices = Object.entries(feeds).map(([symbol, feed]) => [
    symbol,
    { feeds: [{ network: 'local', address: feed, heartbeatSeconds }] },
  ])
  return JSON.stringify({
    networks: {
      local: {
        chainId,
        rpcUrls: [url],
        contract: payments,
        symbol: 'ETH',
        // Each transaction is its own block, and reorganisations do not happen.
        finality: { blocks: 0 },
        mayRestart: true,
        pollMs: 250,
        tokens: Object.fromEntries(
          stablecoins.map((coin) => [
            coin,
            { address: tokens[coin], decimals: networks.polygon.tokens[coin].decimals },
          ]),
        ),
      },
    },
    prices: Object.fromEntries(prices),
  })
}

async function readDeployed(file: string): Promise<Deployed | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const found = v.safeParse(deployedSchema, JSON.parse(text))
  return found.success ? found.output : undefined
}
