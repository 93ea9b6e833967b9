// Payments survive reorganisations of the chain: what is mined again is credited once, what is not never.
import { paymentsAbi } from '@cairn/contracts'
import { bytesForUnits, MIB } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { describePayments } from './describe-payments.fixture.ts'

describePayments('a payment on %s', (subject) => {
  test('has its own position in a transaction with several, wherever it is mined', async () => {
    const { place, follow, rows, expectBooksRight } = subject()
    const indexer = follow({ finality: { blocks: 10 } })
    const hash = await place.payTogether(place.alice, [3n * 10n ** 15n, 4n * 10n ** 15n])
    await indexer.round()
    const raw = await place.chain.anvil.request('eth_getRawTransactionByHash', [hash])
    // Mined again after another payment, so its log indexes differ.
    const other = await place.bob.prepareTransactionRequest({ to: place.payments, value: 10n ** 15n, gas: 100_000n })
    const signed = await place.bob.signTransaction(other)
    await place.chain.anvil.request('anvil_reorg', [
      1,
      [
        [signed, 0],
        [raw, 0],
      ],
    ])
    const logs = await place.chain.reader.getLogs({ address: place.payments, fromBlock: 'latest' })
    expect(logs).toHaveLength(3)
    await place.mine(11)
    await indexer.round()
    await indexer.round()
    const found = (await rows()).filter((row) => row.tx_hash === hash)
    expect(found.map(({ ordinal, units, state }) => [ordinal, units, state])).toEqual([
      [0, '3000000000000000', 'credited'],
      [1, '4000000000000000', 'credited'],
    ])
    expect((await rows()).filter(({ state }) => state === 'credited')).toHaveLength(3)
    await expectBooksRight()
  })

  test('that a reorganisation drops is never credited; one that it moves is credited once', async () => {
    const { place, follow, rows, states, limitOf, expectBooksRight } = subject()
    // The first payment costs more gas; no account's limit may depend on which payment that is.
    await place.payToken(place.bob, 'usdc', 1n)
    const indexer = follow({ finality: { blocks: 10 } })
    const first = await place.payToken(place.alice, 'usdc', 1_000_000n)
    const second = await place.pay(place.bob, 10n ** 15n)
    await indexer.round()
    expect(await states()).toEqual(['seen', 'seen', 'seen'])
    // Both blocks are removed; only the second payment is mined again, after others, in another block.
    const raw = await place.chain.reader.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [second] as never,
    })
    await place.chain.anvil.request('anvil_reorg', [2, [[raw, 1]]])
    await indexer.round()
    const after = await rows()
    expect(after.find(({ tx_hash }) => tx_hash === first)?.state).toBe('orphaned')
    expect(after.find(({ tx_hash }) => tx_hash === second)?.state).toBe('seen')
    await place.mine(11)
    await indexer.round()
    expect(await limitOf(place.alice.account.address)).toBeUndefined()
    expect(await limitOf(place.bob.account.address)).toBeGreaterThan(0)
    expect((await rows()).filter(({ state }) => state === 'credited')).toHaveLength(2)
    await expectBooksRight()
  })

  test('after a reorganisation beyond finality is credited once all blocks are read again, and no earlier one twice', async () => {
    const { place, follow, states, limitOf, expectBooksRight } = subject()
    await place.pay(place.alice, 10n ** 15n)
    await place.mine(6)
    expect(await follow().round()).toMatchObject({ credited: 1 })
    // A transfer in the first new block, because empty blocks made in the same second are the same.
    const transfer = { from: place.alice.account.address, to: place.bob.account.address, value: '0x1' }
    await place.chain.anvil.request('anvil_reorg', [5, [[transfer, 0]]])
    await place.pay(place.bob, 10n ** 15n)
    await place.mine(6)
    await expect(follow().round()).rejects.toThrow('changed')
    expect(await follow({ mayRestart: true }).round()).toMatchObject({ credited: 1 })
    expect(await follow().round()).toMatchObject({ credited: 0, isBehind: false })
    expect(await states()).toEqual(['credited', 'credited'])
    for (const { account } of [place.alice, place.bob]) expect(await limitOf(account.address)).toBe(2 * 256 * MIB)
    await expectBooksRight()
  })

  test('that a reorganisation dropped states why, until it is in a block again', async () => {
    const { place, follow, rows } = subject()
    const indexer = follow({ finality: { blocks: 10 } })
    const hash = await place.pay(place.alice, 10n ** 15n)
    const raw = await place.chain.anvil.request('eth_getRawTransactionByHash', [hash])
    await indexer.round()
    await place.chain.anvil.request('anvil_reorg', [1, []])
    await indexer.round()
    expect(await rows()).toMatchObject([
      { state: 'orphaned', reason: expect.any(String), reason_facts: expect.stringContaining('BLOCK_DROPPED') },
    ])
    await place.chain.anvil.request('eth_sendRawTransaction', [raw])
    // The chain answers before the block with it is mined.
    await expect.poll(() => place.chain.anvil.request('eth_getTransactionReceipt', [hash])).not.toBeNull()
    await indexer.round()
    expect(await rows()).toMatchObject([{ tx_hash: hash, state: 'seen', reason: null, reason_facts: null }])
  })

  test.each([1, 5, 50])('survives a reorganisation of %i blocks, correct at every step', async (depth) => {
    const { place, follow, states, limitOf, expectBooksRight } = subject()
    const indexer = follow({ finality: { blocks: 60 } })
    for (let i = 0; i < 3; i++) await place.payToken(place.alice, 'usdc', 1_000_000n)
    await place.mine(Math.max(0, depth - 6))
    await indexer.round()
    await place.chain.anvil.request('anvil_reorg', [depth, []])
    await indexer.round()
    expect(await limitOf(place.alice.account.address)).toBeUndefined()
    const there = await place.chain.reader.getContractEvents({
      address: place.payments,
      abi: paymentsAbi,
      eventName: 'ReceivedPayment',
      fromBlock: 0n,
    })
    expect((await states()).filter((state) => state === 'seen')).toHaveLength(there.length)
    await place.mine(61)
    await indexer.round()
    expect(await limitOf(place.alice.account.address)).toBe(
      there.length === 0 ? undefined : there.length * Number(bytesForUnits(1_000_000n, 6)),
    )
    await expectBooksRight()
  })
})
