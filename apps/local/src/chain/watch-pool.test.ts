import { createServer, connect as openSocket, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startManualChain } from './manual-chain.fixture.ts'
import { watchPool } from './watch-pool.ts'

test('a transaction is reported, also after a lost connection', async () => {
  await using stack = new AsyncDisposableStack()
  const { url, node, wallet, account } = await startManualChain(stack)

  // Between the watch and the node, so that the test can end its connections.
  const sockets = new Set<Socket>()
  const relay = createServer((socket) => {
    const target = openSocket(Number(new URL(url).port), '127.0.0.1')
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
