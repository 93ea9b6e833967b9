import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, connect as openSocket, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClient, createWalletClient, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import { findAnvil, startAnvil } from './anvil.ts'
import { watchPool } from './watch-pool.ts'

test('a transaction is reported, also after a lost connection', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-pool-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const options = { host: '127.0.0.1', port: 0, chainId: foundry.id, stateFile: join(folder, 'state.json') }
  const anvil = stack.use(await startAnvil(findAnvil(process.env['PATH']) ?? '', options))
  const transport = http(anvil.url)
  const account = privateKeyToAccount(generatePrivateKey())
  const node = createTestClient({ mode: 'anvil', chain: foundry, transport })
  const wallet = createWalletClient({ account, chain: foundry, transport })
  await node.setAutomine(false)
  await node.setBalance({ address: account.address, value: parseEther('1') })

  // Between the watch and the node, so that the test can end its connections.
  const sockets = new Set<Socket>()
  const relay = createServer((socket) => {
    const target = openSocket(Number(new URL(anvil.url).port), '127.0.0.1')
    for (const one of [socket, target]) sockets.add(one.on('error', () => undefined))
    socket.pipe(target).pipe(socket)
  })
  await new Promise<void>((done) => relay.listen(0, '127.0.0.1', done))
  stack.defer(() => {
    for (const socket of sockets) socket.destroy()
    relay.close()
  })
  const address = relay.address()
  if (typeof address !== 'object' || address === null) throw new Error('the relay has no port')
  using pool = watchPool(`http://127.0.0.1:${address.port}`)
  // Confirms the subscription.
  await pool.next()

  const first = pool.next()
  await wallet.sendTransaction({ to: account.address, value: 1n })
  await first

  const lost = pool.next()
  for (const socket of sockets) socket.destroy()
  await lost
  // Subscribed again.
  await pool.next()
  const second = pool.next()
  await wallet.sendTransaction({ to: account.address, value: 1n })
  await second
  expect(await node.getTxpoolStatus()).toEqual({ pending: 2, queued: 0 })
})

test('the end of a watch counts as a change', async () => {
  const pool = watchPool('http://127.0.0.1:9')
  const next = pool.next()
  pool[Symbol.dispose]()
  await next
})
