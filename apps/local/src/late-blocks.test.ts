import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createTestClient, createWalletClient, custom, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import { findAnvil, startAnvil } from './anvil.ts'
import { startMiner } from './miner.ts'
import { watchPool } from './watch-pool.ts'

test('a program that still looks at the block before gets the receipt of its only transaction', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-late-blocks-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const options = { host: '127.0.0.1', port: 0, chainId: foundry.id, stateFile: join(folder, 'state.json') }
  const anvil = stack.use(await startAnvil(findAnvil(process.env['PATH']) ?? '', options))
  const transport = http(anvil.url)
  const account = privateKeyToAccount(generatePrivateKey())
  const node = createTestClient({ mode: 'anvil', chain: foundry, transport })
  await node.setAutomine(false)
  await node.setBalance({ address: account.address, value: parseEther('1') })
  const hash = await createWalletClient({ account, chain: foundry, transport }).sendTransaction({
    to: account.address,
    value: 1n,
  })

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
          stack.use(await startMiner(node, () => watchPool(anvil.url), 20))
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
