// A lying endpoint in front of a real chain, beside honest ones: it never causes a credit, and what it hides is
// credited once the endpoints agree again.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesForUnits, GIB } from '@cairn/protocol'
import { type Hex, keccak256, pad, toHex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import {
  type PaymentChain,
  type Question,
  startPaymentChain,
  startRpcLiar,
  type TrueAnswer,
} from './payment-chain.fixture.ts'
import { openBooks, openFollower } from './payment-context.fixture.ts'

const free = GIB
const paid = 1_000_000n
let place: PaymentChain
let snapshot: Hex
let folder: string
let db: Database
let count = 0
const open: AsyncDisposable[] = []
const clock = { ms: Date.now(), now: () => clock.ms }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-liar-'))
  place = await startPaymentChain()
  snapshot = await place.chain.miner.snapshot()
})
afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await place.chain.miner.revert({ id: snapshot })
  snapshot = await place.chain.miner.snapshot()
  db = await openDatabase({ kind: 'sqlite', path: join(folder, `${count++}.sqlite`) })
})
afterEach(async () => {
  await db.close()
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

type Lie = (question: Question, ask: () => Promise<TrueAnswer>) => Promise<unknown>
type Log = Record<string, unknown> & { topics: string[]; data: string }

/** An endpoint that lies on request. */
async function startLiar(lie: Lie) {
  const liar = { isLying: true, url: '' }
  const server = await startRpcLiar(place.chain.url, (question, _response, ask) =>
    liar.isLying ? lie(question, ask) : undefined,
  )
  open.push(server)
  liar.url = server.url
  return liar
}
const startHonest = async () => {
  const server = await startRpcLiar(place.chain.url, () => undefined)
  open.push(server)
  return server.url
}
const follow = (rpcUrls: readonly string[], network: Record<string, unknown> = {}) =>
  openFollower(db, clock, {
    CAIRN_HOME: folder,
    CAIRN_PAYMENTS: place.settings({ rpcUrls, ...network }),
    CAIRN_FREE_BYTES: String(free),
  })
const endpointsOf = ({ context }: ReturnType<typeof follow>) =>
  context.dependencies.report().filter(({ kind }) => kind === 'endpoint')

/** Changes the logs in every answer that contains any: lists and receipts. */
const changeLogs =
  (change: (logs: Log[], question: Question) => Log[] | Promise<Log[]>): Lie =>
  async (question, ask) => {
    if (question.method === 'eth_getLogs') return { result: await change((await ask()).result as Log[], question) }
    if (question.method !== 'eth_getTransactionReceipt') return undefined
    const { result } = (await ask()) as { result: { logs: Log[] } | null }
    return result === null ? undefined : { result: { ...result, logs: await change(result.logs, question) } }
  }

/** A payment of 10,000 USDC that never happened, in a real block. */
const forge = changeLogs(async (logs, { method, params }) => {
  const [filter] = params as [{ fromBlock: Hex; toBlock: Hex }]
  if (method !== 'eth_getLogs' || Number(filter.fromBlock) > 2 || Number(filter.toBlock) < 2) return logs
  const { hash } = (await place.chain.reader.getBlock({ blockNumber: 2n })) as { hash: Hex }
  const word = (value: bigint) => pad(toHex(value)).slice(2)
  return [
    ...logs,
    {
      address: place.payments,
      topics: [
        keccak256(toHex('ReceivedPayment(address,address,uint256,uint256,uint256,bytes)')),
        pad(place.bob.account.address),
        pad(place.tokens.usdc),
      ],
      data: `0x${word(99n)}${word(10_000_000_000n)}${word(1n)}${word(128n)}${word(0n)}`,
      blockNumber: toHex(2),
      blockHash: hash,
      transactionHash: `0x${'f'.repeat(64)}`,
      logIndex: '0x0',
    },
  ]
})
const drop = changeLogs(() => [])
const alterAmount = changeLogs((logs) =>
  logs.map((log): Log => {
    return { ...log, data: log.data.replace(/^(0x.{64}).{64}/, `$1${pad('0xffffffffff').slice(2)}`) }
  }),
)
const alterBeneficiary = changeLogs((logs) =>
  logs.map(({ topics: [event = '', , token = ''], ...log }): Log => {
    return { ...log, topics: [event, pad(place.bob.account.address), token] }
  }),
)
const alterHash: Lie = async ({ method, params }, ask) => {
  if (method !== 'eth_getBlockByNumber') return undefined
  const { result } = (await ask()) as { result: Record<string, string> | null }
  return params[0] === 'latest' || result === null ? undefined : { result: { ...result, hash: `0x${'7'.repeat(64)}` } }
}
const alterTime: Lie = async ({ method }, ask) => {
  if (method !== 'eth_getBlockByNumber') return undefined
  const { result } = (await ask()) as { result: Record<string, string> | null }
  return result === null ? undefined : { result: { ...result, timestamp: toHex(Number(result['timestamp']) - 500) } }
}
let turn = 0
const alternate: Lie = (question, ask) => {
  const lies = [forge, drop, alterAmount, alterBeneficiary]
  return lies[turn++ % lies.length]?.(question, ask) ?? Promise.resolve(undefined)
}

const lies = [
  ['makes up 10,000 USDC', forge, 'disagree about the payments in blocks'],
  ['leaves a payment out', drop, 'disagree about the payments in blocks'],
  ['alters an amount', alterAmount, 'disagree about the payments in blocks'],
  ['alters who paid', alterBeneficiary, 'disagree about the payments in blocks'],
  ['names other blocks', alterHash, 'disagree about the final block'],
  ['alters the time of blocks', alterTime, 'disagree about the time of a block'],
  ['says something else each time', alternate, 'disagree about the payments in blocks'],
] as const

describe.each([
  ['first', 0],
  ['second', 1],
] as const)('of two endpoints, the %s', (_place, position) => {
  test.each(lies)('%s: nothing is credited until they agree, and the status reports it', async (_what, lie, reason) => {
    turn = 0
    const hash = await place.payToken(place.alice, 'usdc', paid)
    await place.mine(3)
    const liar = await startLiar(lie)
    const indexer = follow(position === 0 ? [liar.url, place.chain.url] : [place.chain.url, liar.url])
    for (let i = 0; i < 6; i++) await expect(indexer.round()).rejects.toThrow(reason)
    const books = openBooks(db)
    expect((await books.states()).filter((state) => state !== 'seen')).toEqual([])
    expect(await db.read.selectFrom('account').selectAll().execute()).toEqual([])
    const figures = await indexer.context.metrics.registry.metrics()
    expect(figures).toContain('cairn_chain_disagreements_total{network="local"} 6')

    liar.isLying = false
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    expect(await books.rows()).toMatchObject([{ tx_hash: hash, state: 'credited', units: String(paid) }])
    expect(await books.limitOf(place.alice.account.address)).toBe(Number(bytesForUnits(paid, 6)))
    expect(await books.limitOf(place.bob.account.address)).toBeUndefined()
    await books.expectRight()
  })

  test('reports transactions that the other does not, and the error lists them', async () => {
    const hash = await place.payToken(place.alice, 'usdc', paid)
    await place.mine(3)
    const liar = await startLiar(drop)
    const indexer = follow(position === 0 ? [liar.url, place.chain.url] : [place.chain.url, liar.url])
    await expect(indexer.round()).rejects.toThrow(`${hash} (only from endpoint ${1 - position})`)
  })

  test('lies about the price of a coin: the payment waits', async () => {
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(3)
    const liar = await startLiar(async ({ method, params }, ask) => {
      const [call] = params as [{ to?: string }]
      if (method !== 'eth_call' || call.to?.toLowerCase() !== place.feed.toLowerCase()) return undefined
      const { result } = await ask()
      if (typeof result !== 'string' || result.length < 200) return undefined
      // The second word of a round is its price; this returns a thousand times as much.
      const price = BigInt(`0x${result.slice(66, 130)}`) * 1000n
      return { result: `${result.slice(0, 66)}${pad(toHex(price)).slice(2)}${result.slice(130)}` }
    })
    const indexer = follow(position === 0 ? [liar.url, place.chain.url] : [place.chain.url, liar.url])
    expect(await indexer.round()).toMatchObject({ credited: 0 })
    const books = openBooks(db)
    expect(await books.rows()).toMatchObject([{ state: 'unpriced' }])
    expect(indexer.context.dependencies.report()).toContainEqual(
      expect.objectContaining({
        kind: 'feed',
        name: 'ETH',
        state: 'failed',
        reason: expect.stringContaining('disagree'),
      }),
    )
    liar.isLying = false
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    expect(await books.rows()).toMatchObject([{ state: 'credited', price: '200000000000' }])
  })

  test('calls pending blocks final, which are waited for', async () => {
    await place.pay(place.alice, 10n ** 15n)
    let final = '0x0'
    const tags =
      (own: () => string): Lie =>
      async (question) => {
        if (question.params[0] === 'finalized') question.params[0] = own()
        return undefined
      }
    const liar = await startLiar(tags(() => 'latest'))
    const honest = await startLiar(tags(() => final))
    const urls = position === 0 ? [liar.url, honest.url] : [honest.url, liar.url]
    const indexer = follow(urls, { finality: { tag: 'finalized' } })
    expect(await indexer.round()).toMatchObject({ credited: 0, seen: 1 })
    final = toHex(await place.chain.reader.getBlockNumber())
    expect(await indexer.round()).toMatchObject({ credited: 1 })
  })

  test('is offline: nothing is credited until it is back, and then everything is', async () => {
    await place.payToken(place.alice, 'usdc', paid)
    await place.mine(3)
    const away = await startLiar(async () => ({
      error: { code: -32000, message: 'out of order, key abcdefghijklmnopqrstuvw' },
    }))
    const indexer = follow(position === 0 ? [away.url, place.chain.url] : [place.chain.url, away.url])
    await expect(indexer.round()).rejects.toThrow('Only 1 of 2 endpoints of local respond, 2 must agree')
    expect(await openBooks(db).rows()).toEqual([])
    const report = endpointsOf(indexer)
    expect(report[position]).toMatchObject({ endpoint: position, state: 'failed' })
    expect(report[1 - position]).toMatchObject({ state: 'ok' })
    expect(JSON.stringify(report)).not.toContain('abcdefghijklmnopqrstuvw')
    away.isLying = false
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    expect(endpointsOf(indexer).map(({ state }) => state)).toEqual(['ok', 'ok'])
  })
})

test('an only endpoint misreports the time of a block: its payment is credited once it reports the right one', async () => {
  await place.pay(place.alice, 10n ** 15n)
  await place.mine(3)
  const liar = await startLiar(async ({ method }, ask) => {
    if (method !== 'eth_getBlockByNumber') return undefined
    const { result } = (await ask()) as { result: Record<string, string> | null }
    return result === null ? undefined : { result: { ...result, timestamp: '0x1' } }
  })
  const indexer = follow([liar.url])
  const books = openBooks(db)
  expect(await indexer.round()).toMatchObject({ credited: 0 })
  expect(await books.rows()).toMatchObject([{ state: 'unpriced', block_time: 1000 }])
  liar.isLying = false
  expect(await indexer.round()).toMatchObject({ credited: 1 })
  const { timestamp } = await place.chain.reader.getBlock({
    blockNumber: BigInt((await books.rows())[0]?.block_number ?? 0),
  })
  expect(await books.rows()).toMatchObject([{ state: 'credited', block_time: Number(timestamp) * 1000 }])
  await books.expectRight()
})

describe('of three endpoints, one', () => {
  test.each(lies)('%s: the other two are trusted, and the status reports it', async (_what, lie) => {
    turn = 0
    await place.payToken(place.alice, 'usdc', paid)
    await place.mine(3)
    const liar = await startLiar(lie)
    const indexer = follow([liar.url, place.chain.url, await startHonest()])
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    const books = openBooks(db)
    expect(await books.rows()).toMatchObject([{ state: 'credited', units: String(paid) }])
    expect(await books.limitOf(place.bob.account.address)).toBeUndefined()
    expect(endpointsOf(indexer)).toMatchObject([
      { endpoint: 0, state: 'failed', reason: 'It disagrees with the other endpoints' },
      { endpoint: 1, state: 'ok' },
      { endpoint: 2, state: 'ok' },
    ])
    await books.expectRight()
  })

  test('is offline: crediting continues, unless all three have to agree', async () => {
    await place.payToken(place.alice, 'usdc', paid)
    await place.mine(3)
    const urls = ['http://127.0.0.1:9', place.chain.url, await startHonest()]
    await expect(follow(urls, { quorum: 3 }).round()).rejects.toThrow('Only 2 of 3 endpoints')
    expect(await follow(urls).round()).toMatchObject({ credited: 1 })
  })

  test('that failed is paused for a while, and then queried again', async () => {
    let asked = 0
    const away = await startLiar(async () => {
      asked++
      return { error: { code: -32000, message: 'out of order' } }
    })
    const indexer = follow([away.url, place.chain.url, await startHonest()])
    for (let i = 0; i < 5; i++) await indexer.round()
    expect(asked).toBe(1)
    away.isLying = false
    clock.ms += 30_000
    await indexer.round()
    expect(endpointsOf(indexer).map(({ state }) => state)).toEqual(['ok', 'ok', 'ok'])
  })
})

test('a single endpoint is not trusted if its events do not match its receipts', async () => {
  await place.payToken(place.alice, 'usdc', paid)
  await place.mine(3)
  const liar = await startLiar(async (question, ask) =>
    question.method === 'eth_getLogs' ? alterAmount(question, ask) : undefined,
  )
  const indexer = follow([liar.url])
  await expect(indexer.round()).rejects.toThrow('does not contain the payments')
  liar.isLying = false
  expect(await indexer.round()).toMatchObject({ credited: 1 })
})

test('a single endpoint that returns each event twice, in receipts too, credits nothing until it stops', async () => {
  await place.payToken(place.alice, 'usdc', paid)
  await place.mine(3)
  const liar = await startLiar(changeLogs((logs) => logs.flatMap((log) => [log, log])))
  const indexer = follow([liar.url])
  await expect(indexer.round()).rejects.toThrow('returned an event twice')
  expect(await openBooks(db).rows()).toEqual([])
  liar.isLying = false
  // The failure halved the range of blocks.
  for (let isBehind = true; isBehind; ) ({ isBehind } = await indexer.round())
  expect(await openBooks(db).states()).toEqual(['credited'])
  await openBooks(db).expectRight()
})

test('a time of a block that cannot be stored is malformed', async () => {
  await place.payToken(place.alice, 'usdc', paid)
  await place.mine(3)
  const liar = await startLiar(async ({ method }, ask) => {
    if (method !== 'eth_getBlockByNumber') return undefined
    const { result } = (await ask()) as { result: Record<string, string> }
    return { result: { ...result, timestamp: '0xfffffffffffff' } }
  })
  await expect(follow([liar.url]).round()).rejects.toThrow('malformed response to eth_getBlockByNumber')
})

test('a payment that only one endpoint no longer shows is not dropped', async () => {
  await place.payToken(place.alice, 'usdc', paid)
  const liar = await startLiar(drop)
  liar.isLying = false
  const indexer = follow([liar.url, place.chain.url], { finality: { blocks: 50 } })
  expect(await indexer.round()).toMatchObject({ seen: 1 })
  liar.isLying = true
  expect(await indexer.round()).toMatchObject({ seen: 0 })
  expect(await openBooks(db).states()).toEqual(['seen'])
})

describe('a payment in the chain is not dropped', () => {
  test.each([
    ['the head of an endpoint goes back', 1],
    ['the heads of most endpoints go back', 3],
  ] as const)('when %s', async (_when, endpoints) => {
    const hash = await place.payToken(place.alice, 'usdc', paid)
    // A node that does not have the block of the payment yet.
    const behind: Lie = async (question, ask) => {
      if (question.params[0] !== 'latest') return undefined
      const { result } = (await ask()) as { result: { number: Hex } }
      question.params[0] = toHex(Number(result.number) - 1)
      return ask()
    }
    const liars = await Promise.all(Array.from({ length: endpoints }, () => startLiar(behind)))
    for (const liar of liars) liar.isLying = false
    const indexer = follow(
      liars.map(({ url }) => url),
      { finality: { blocks: 50 } },
    )
    expect(await indexer.round()).toMatchObject({ seen: 1 })
    for (const liar of liars.slice(0, 2)) liar.isLying = true
    await indexer.round()
    expect(await openBooks(db).rows()).toMatchObject([{ tx_hash: hash, state: 'seen', reason: null }])
  })

  test('when an endpoint answers without its newest payments', async () => {
    await place.payToken(place.alice, 'usdc', paid)
    const liar = await startLiar(async (question) => (question.method === 'eth_getLogs' ? { result: [] } : undefined))
    liar.isLying = false
    const indexer = follow([liar.url], { finality: { blocks: 50 } })
    expect(await indexer.round()).toMatchObject({ seen: 1 })
    liar.isLying = true
    await place.mine(1)
    expect(await indexer.round()).toMatchObject({ seen: 0 })
    expect(await openBooks(db).states()).toEqual(['seen'])
  })

  test('when an endpoint omits it from final blocks: they are read again until it is credited', async () => {
    const hash = await place.payToken(place.alice, 'usdc', paid)
    const liar = await startLiar(async (question) => (question.method === 'eth_getLogs' ? { result: [] } : undefined))
    liar.isLying = false
    const indexer = follow([liar.url], { finality: { blocks: 10 } })
    expect(await indexer.round()).toMatchObject({ seen: 1 })
    liar.isLying = true
    await place.mine(60)
    await expect(indexer.round()).rejects.toThrow(`omits a payment that the receipt of transaction ${hash} contains`)
    expect(await openBooks(db).states()).toEqual(['seen'])
    liar.isLying = false
    expect(await indexer.round()).toMatchObject({ credited: 1 })
    await openBooks(db).expectRight()
  })
})
