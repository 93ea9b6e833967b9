// Endpoints of a chain that are down, behind, wrong or in disagreement neither lose nor invent payments.
import { describe, expect, test } from 'vitest'
import { describePayments } from './describe-payments.fixture.ts'
import { startRpcLiar } from './payment-chain.fixture.ts'

describePayments('a payment on %s', (subject) => {
  describe('an endpoint', () => {
    const html = '<html>bad gateway</html>'
    test.each([
      ['that is down', undefined],
      [
        'of another chain',
        ({ method }: { method: string }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined),
      ],
      ['that limits rates', () => ({ error: { code: 429, message: 'too many requests' } })],
      [
        'that answers nonsense',
        ({ method }: { method: string }) => (method === 'eth_getLogs' ? { result: [{ nonsense: true }] } : undefined),
      ],
      ['that answers HTML', 'html'],
      ['that answers events of others', 'foreign'],
      ['that is behind what was read', 'behind'],
    ] as const)('%s changes nothing; everything is indexed once it is back', async (_what, fault) => {
      const { place, db, follow, limitOf, expectBooksRight } = subject()
      const before = follow()
      await place.mine(3)
      await before.round()
      const cursor = () => db.read.selectFrom('chain_cursor').select(['final_block', 'final_hash']).execute()
      const was = await cursor()
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(2)
      await using liar = await startRpcLiar(place.chain.url, (question, response) => {
        if (fault === 'html') response.end(html)
        else if (fault === 'foreign' && question.method === 'eth_getLogs') {
          const topic = `0x${'1'.repeat(64)}`
          const log = {
            address: `0x${'9'.repeat(40)}`,
            topics: [topic, topic, topic],
            data: '0x',
            blockNumber: '0x1',
            blockHash: topic,
            transactionHash: topic,
            logIndex: '0x0',
          }
          return { result: [log] }
        } else if (fault === 'behind' && question.method === 'eth_getBlockByNumber') {
          return { result: null }
        } else if (typeof fault === 'function') return fault(question)
        return undefined
      })
      const url = fault === undefined ? 'http://127.0.0.1:9' : liar.url
      const indexer = follow({ rpcUrls: [url], finality: { blocks: 2 } })
      await expect(indexer.round()).rejects.toMatchObject({ name: expect.stringMatching(/CairnError|RpcRefusal/) })
      expect(await cursor()).toEqual(was)
      expect(await limitOf(place.alice.account.address)).toBeUndefined()
      const [{ fault: noted } = { fault: null }] = await db.read.selectFrom('chain_cursor').select('fault').execute()
      expect(noted).not.toBeNull()
      expect((await follow().round()).credited).toBe(1)
      const [{ fault: gone } = { fault: '' }] = await db.read.selectFrom('chain_cursor').select('fault').execute()
      expect(gone).toBeNull()
      await expectBooksRight()
    })

    test('that lags behind its head while events are read loses nothing', async () => {
      const { place, follow, limitOf } = subject()
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(2)
      let asked = 0
      await using lagging = await startRpcLiar(place.chain.url, ({ method, params }) => {
        // Behind a load balancer: events from a node that has not seen them, and from another without that block.
        if (method === 'eth_getLogs' && asked === 0) return { result: [] }
        if (method === 'eth_getBlockByNumber' && params[0] !== 'latest' && asked++ === 2) return { result: null }
        return undefined
      })
      const indexer = follow({ rpcUrls: [lagging.url] })
      for (let i = 0; i < 3; i++) await indexer.round().catch(() => undefined)
      expect(await limitOf(place.alice.account.address)).toBeGreaterThan(0)
    })

    test('that omitted events of a visible block is queried again, and they are credited a little later', async () => {
      const { place, follow, expectBooksRight } = subject()
      await place.pay(place.alice, 10n ** 15n)
      await place.pay(place.bob, 10n ** 15n)
      await place.mine(3)
      let omitsLogs = true
      await using omitting = await startRpcLiar(place.chain.url, ({ method }) =>
        omitsLogs && method === 'eth_getLogs' ? { result: [] } : undefined,
      )
      const indexer = follow({ rpcUrls: [omitting.url] })
      expect((await indexer.round()).credited).toBe(0)
      omitsLogs = false
      expect((await indexer.round()).credited).toBe(0)
      await place.mine(1)
      expect((await indexer.round()).credited).toBe(2)
      await place.mine(1)
      expect((await indexer.round()).credited).toBe(0)
      await expectBooksRight()
    })

    test('that answers one block at a time is followed all the same', async () => {
      const { place, follow } = subject()
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(6)
      await using strict = await startRpcLiar(place.chain.url, ({ method, params }) => {
        const [filter] = params as [{ fromBlock: string; toBlock: string }]
        const isOne = method !== 'eth_getLogs' || filter.fromBlock === filter.toBlock
        return isOne ? undefined : { error: { code: -32005, message: 'one block only' } }
      })
      const indexer = follow({ rpcUrls: [strict.url], maxRange: 16 })
      let credited = 0
      for (let i = 0; i < 200; i++) {
        const round = await indexer.round()
        credited += round.credited
        if (!round.isBehind && i > 10) break
      }
      expect(credited).toBe(1)
    })

    test('that contradicts another stops all crediting; two that agree continue', async () => {
      const { place, follow, rows } = subject()
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(2)
      await using liar = await startRpcLiar(place.chain.url, ({ method, params }) => {
        if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return undefined
        return { result: { number: params[0], hash: `0x${'7'.repeat(64)}`, timestamp: '0x1' } }
      })
      const torn = follow({ rpcUrls: [place.chain.url, liar.url] })
      await expect(torn.round()).rejects.toThrow('disagree')
      expect(await rows()).toEqual([])
      await using honest = await startRpcLiar(place.chain.url, () => undefined)
      const two = follow({ rpcUrls: [place.chain.url, honest.url] })
      expect((await two.round()).credited).toBe(1)
    })

    test('whose final blocks change stops all crediting, and is reported', async () => {
      const { place, follow, limitOf } = subject()
      await place.mine(4)
      const indexer = follow()
      await indexer.round()
      await place.chain.anvil.request('anvil_reorg', [5, []])
      await place.pay(place.alice, 10n ** 15n)
      await place.mine(2)
      await expect(indexer.round()).rejects.toThrow('of local changed')
      expect(await limitOf(place.alice.account.address)).toBeUndefined()
    })
  })
})
