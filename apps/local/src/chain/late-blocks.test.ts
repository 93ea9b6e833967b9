import { createPublicClient, custom } from 'viem'
import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import { startManualChain } from './manual-chain.fixture.ts'
import { startMiner } from './miner.ts'
import { watchPool } from './watch-pool.ts'

test('a program that still looks at the block before gets the receipt of its only transaction', async () => {
  await using stack = new AsyncDisposableStack()
  const { url, transport, node, wallet, account } = await startManualChain(stack)
  const hash = await wallet.sendTransaction({ to: account.address, value: 1n })

  // viem looks at the block before the transaction. Until that ends, it sees the next two blocks, and ignores them.
  const direct = transport({ chain: foundry })
  const bothSeen = Promise.withResolvers<void>()
  let isHeld = false
  let timesSeen = 0
  let before: bigint | undefined
  const reader = createPublicClient({
    chain: foundry,
    cacheTime: 0,
    pollingInterval: 5,
    transport: custom({
      async request(query: { method: string; params?: unknown }) {
        const answer: unknown = await direct.request(query)
        if (query.method === 'eth_blockNumber') {
          const latest = BigInt(String(answer))
          before ??= latest
          // Once more, because the block is reported after the answer.
          if (latest >= before + 2n && ++timesSeen === 3) bothSeen.resolve()
        }
        if (query.method === 'eth_getBlockByNumber' && !isHeld) {
          isHeld = true
          stack.use(await startMiner(node, () => watchPool(url), 20))
          await bothSeen.promise
        }
        return answer
      },
    }),
  })
  const { status } = await reader.waitForTransactionReceipt({ hash, timeout: 60_000 })
  expect(status).toBe('success')
  expect(isHeld).toBe(true)
})
