import { startTestChain } from '@cairn/service/test-chain-fixture'
import { type Hex, parseAbi, parseSignature } from 'viem'
import { expect, test } from 'vitest'
import { localUsdcBytecode, localUsdtBytecode, paymentsBytecode } from './deploy.ts'
import { localUsdcAbi, localUsdtAbi, paymentsAbi } from './index.ts'

test('the cost of each call matches gas.md; if not, run the test with --update and review the difference', async () => {
  await using chain = await startTestChain()
  const [owner, alice, bob] = chain.wallets
  const rows: string[] = []
  // Each is mined before the next one: its cost depends on the state before it.
  const mined = (hash: Hex) => chain.reader.waitForTransactionReceipt({ hash })
  const note = async (what: string, hash: Hex) => {
    const { gasUsed, status } = await mined(hash)
    expect(status, what).toBe('success')
    rows.push(`| ${what} | ${gasUsed} |`)
  }
  const deployed = await owner.deployContract({
    abi: paymentsAbi,
    bytecode: paymentsBytecode,
    args: [owner.account.address],
  })
  await note('deployment', deployed)
  const payments = (await chain.reader.getTransactionReceipt({ hash: deployed })).contractAddress ?? '0x'
  const usdc = await chain.deploy(localUsdcAbi, localUsdcBytecode)
  const usdt = await chain.deploy(localUsdtAbi, localUsdtBytecode)
  const admin = { address: payments, abi: paymentsAbi } as const
  await note(
    'updateERC20Token',
    await owner.writeContract({ ...admin, functionName: 'updateERC20Token', args: [usdc, true] }),
  )
  await mined(await owner.writeContract({ ...admin, functionName: 'updateERC20Token', args: [usdt, true] }))
  for (const address of [usdc, usdt])
    await mined(
      await owner.writeContract({
        address,
        abi: localUsdcAbi,
        functionName: 'mint',
        args: [alice.account.address, 10n ** 12n],
      }),
    )

  const pay = () => alice.sendTransaction({ to: payments, value: 1n })
  await note('native, first payment to the contract', await pay())
  await note('native', await pay())
  const payFor = { ...admin, functionName: 'payFor', args: [bob.account.address], value: 1n } as const
  await note('native for another account', await alice.writeContract(payFor))
  for (const [name, token] of [
    ['USDC', usdc],
    ['USDT', usdt],
  ] as const) {
    const abi = parseAbi(['function approve(address spender, uint256 value)'])
    const approve = { address: token, abi, functionName: 'approve', args: [payments, 3906n] } as const
    const receive = { ...admin, functionName: 'receiveToken', args: [3906n, token] } as const
    await note(`${name}: approve`, await alice.writeContract(approve))
    await note(`${name}: receiveToken, first payment in this token`, await alice.writeContract(receive))
    await mined(await alice.writeContract(approve))
    await note(`${name}: receiveToken`, await alice.writeContract(receive))
  }
  const deadline = 2n ** 48n
  const signature = parseSignature(
    await alice.signTypedData({
      domain: { name: 'USD Coin', version: '1', chainId: 31337, verifyingContract: usdc },
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'Permit',
      message: { owner: alice.account.address, spender: payments, value: 3906n, nonce: 0n, deadline },
    }),
  )
  await note(
    'USDC: receiveTokenWithPermit instead of approve and receiveToken',
    await alice.writeContract({
      ...admin,
      functionName: 'receiveTokenWithPermit',
      args: [3906n, usdc, alice.account.address, deadline, Number(signature.v), signature.r, signature.s],
    }),
  )
  await note('pause', await owner.writeContract({ ...admin, functionName: 'pause' }))
  await note(
    'withdraw, native',
    await owner.writeContract({
      ...admin,
      functionName: 'withdraw',
      args: [`0x${'0'.repeat(40)}`, bob.account.address, 1n],
    }),
  )
  await note(
    'withdraw, USDC',
    await owner.writeContract({ ...admin, functionName: 'withdraw', args: [usdc, bob.account.address, 1n] }),
  )
  const page = `# Gas

Measured by a test on a local EVM node; \`npm run test:unit -- packages/contracts --update\` updates this page.

| call | gas |
|---|---|
${rows.join('\n')}
`
  await expect(page).toMatchFileSnapshot('../gas.md')
})
