import { startTestChain, type TestChain, type Wallet } from '@cairn/service/test-chain-fixture'
import fc from 'fast-check'
import {
  type Abi,
  decodeAbiParameters,
  decodeErrorResult,
  type Hex,
  parseEventLogs,
  parseSignature,
  toHex,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { compileSource } from './compile-contracts.ts'
import { localDaiBytecode, localUsdcBytecode, localUsdtBytecode, paymentsBytecode } from './deploy.ts'
import { localDaiAbi, localUsdcAbi, localUsdtAbi, paymentsAbi } from './index.ts'

let chain: TestChain
let owner: Wallet
let alice: Wallet
let bob: Wallet
let payments: Hex
let usdc: Hex
let usdt: Hex
let dai: Hex
let snapshot: Hex

const hostile = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;
interface IPayments { function receiveToken(uint256 amount, address token) external; }
contract FalseToken {
    mapping(address => uint256) public balanceOf;
    function mint(address to, uint256 amount) external { balanceOf[to] += amount; }
    function transferFrom(address, address, uint256) external pure returns (bool) { return false; }
}
contract LyingToken {
    mapping(address => uint256) public balanceOf;
    function mint(address to, uint256 amount) external { balanceOf[to] += amount; }
    function transferFrom(address, address, uint256) external pure returns (bool) { return true; }
}
contract ReenteringToken {
    mapping(address => uint256) public balanceOf;
    address public payments;
    function mint(address to, uint256 amount) external { balanceOf[to] += amount; }
    function aim(address target) external { payments = target; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        IPayments(payments).receiveToken(value, address(this));
        return true;
    }
}
contract RefusingReceiver { receive() external payable { revert("no"); } }
`

beforeAll(async () => {
  chain = await startTestChain()
  ;[owner, alice, bob] = chain.wallets
  payments = await chain.deploy(paymentsAbi, paymentsBytecode, [owner.account.address])
  usdc = await chain.deploy(localUsdcAbi, localUsdcBytecode)
  usdt = await chain.deploy(localUsdtAbi, localUsdtBytecode)
  dai = await chain.deploy(localDaiAbi, localDaiBytecode)
  for (const token of [usdc, usdt, dai]) {
    await call(owner, payments, paymentsAbi, 'updateERC20Token', [token, true])
    for (const wallet of [alice, bob])
      await call(owner, token, localUsdcAbi, 'mint', [wallet.account.address, 10n ** 24n])
  }
  snapshot = await chain.miner.snapshot()
})
beforeEach(async () => {
  await chain.miner.revert({ id: snapshot })
  snapshot = await chain.miner.snapshot()
})
afterAll(() => chain?.[Symbol.asyncDispose]())

/** Sends a call; its simulation first reports the error by name. */
async function call(from: Wallet, to: Hex, abi: Abi, functionName: string, args: readonly unknown[], value?: bigint) {
  const request = {
    address: to,
    abi,
    functionName,
    args,
    account: from.account,
    ...(value === undefined ? {} : { value }),
  }
  await chain.reader.simulateContract(request)
  const hash = await from.writeContract({ ...request, chain: from.chain })
  return chain.reader.waitForTransactionReceipt({ hash })
}

type Receipt = Awaited<ReturnType<typeof call>>
function eventsOf(receipt: Receipt) {
  return parseEventLogs({ abi: paymentsAbi, eventName: 'ReceivedPayment', logs: receipt.logs }).map(({ args }) => args)
}

async function pay(from: Wallet, value: bigint, data?: Hex): Promise<Receipt> {
  try {
    const hash = await from.sendTransaction({ to: payments, value, ...(data === undefined ? {} : { data }) })
    return await chain.reader.waitForTransactionReceipt({ hash })
  } catch (error) {
    // A transfer has no ABI to decode its error by name.
    const selector = /custom error (0x[0-9a-f]{8})/.exec(String(error))?.[1]
    if (selector === undefined) throw error
    throw new Error(decodeErrorResult({ abi: paymentsAbi, data: selector as Hex }).errorName, { cause: error })
  }
}

async function payToken(from: Wallet, token: Hex, amount: bigint): Promise<Receipt> {
  await call(from, token, localUsdtAbi, 'approve', [payments, amount])
  return call(from, payments, paymentsAbi, 'receiveToken', [amount, token])
}

const heldOf = (token: Hex) =>
  chain.reader.readContract({ address: payments, abi: paymentsAbi, functionName: 'getERC20Balance', args: [token] })

describe('payments', () => {
  test('has the selector that published clients call', () => {
    const names = paymentsAbi.flatMap((entry) => ('name' in entry ? [entry.name] : []))
    for (const name of [
      'receiveToken',
      'getERC20Balance',
      'getNativeBalance',
      'getTokenStatus',
      'tokenStatus',
      'updateERC20Token',
    ])
      expect(names).toContain(name)
    expect(paymentsBytecode).toContain('7a43c086')
  })

  test('accepts the native coin: by a plain transfer, with data, and for another account', async () => {
    expect(eventsOf(await pay(alice, 5n))).toMatchObject([
      { sender: alice.account.address, tokenAddress: zeroAddress, txId: 1n, amount: 5n, data: '0x' },
    ])
    // Data that looks like an address does not set a beneficiary; only the call for it does.
    const address = `0x${bob.account.address.slice(2).padStart(64, '0')}` as const
    expect(eventsOf(await pay(alice, 6n, address))).toMatchObject([{ txId: 2n, amount: 6n, data: '0x' }])
    const [event] = eventsOf(await call(alice, payments, paymentsAbi, 'payFor', [bob.account.address], 7n))
    expect(event).toMatchObject({ sender: alice.account.address, amount: 7n })
    expect(decodeAbiParameters([{ type: 'address' }], event?.data ?? '0x')).toEqual([bob.account.address])
    expect(eventsOf(await call(alice, payments, paymentsAbi, 'payFor', [alice.account.address], 8n))).toMatchObject([
      { data: '0x' },
    ])
    expect(await chain.reader.getBalance({ address: payments })).toBe(26n)
    await expect(pay(alice, 0n)).rejects.toThrow('INVALID_AMOUNT')
    await expect(call(alice, payments, paymentsAbi, 'payFor', [zeroAddress], 1n)).rejects.toThrow(
      'INVALID_ZERO_ADDRESS',
    )
  })

  test('credits the stablecoin amount that arrived', async () => {
    for (const token of [usdc, usdt, dai]) {
      expect(eventsOf(await payToken(alice, token, 3906n))).toMatchObject([
        { tokenAddress: getCase(token), amount: 3906n },
      ])
      expect(await heldOf(token)).toBe(3906n)
    }
    const [event] = eventsOf(
      await (async () => {
        await call(alice, usdc, localUsdcAbi, 'approve', [payments, 10n])
        return call(alice, payments, paymentsAbi, 'receiveTokenFor', [10n, usdc, bob.account.address])
      })(),
    )
    expect(decodeAbiParameters([{ type: 'address' }], event?.data ?? '0x')).toEqual([bob.account.address])
    await call(owner, usdt, localUsdtAbi, 'setFee', [100n])
    expect(eventsOf(await payToken(alice, usdt, 1000n))).toMatchObject([{ amount: 990n }])
  })

  test('rejects a blocking allowance, a low allowance, a low balance and a zero amount by name', async () => {
    await call(alice, usdt, localUsdtAbi, 'approve', [payments, 5n])
    await expect(call(alice, usdt, localUsdtAbi, 'approve', [payments, 6n])).rejects.toThrow('set it to 0 first')
    await expect(call(alice, payments, paymentsAbi, 'receiveToken', [6n, usdt])).rejects.toThrow('TOKEN_PAYMENT_FAILED')
    await expect(call(alice, payments, paymentsAbi, 'receiveToken', [10n ** 30n, usdc])).rejects.toThrow(
      'INSUFFICIENT_USER_BALANCE',
    )
    await expect(call(alice, payments, paymentsAbi, 'receiveToken', [0n, usdc])).rejects.toThrow('INVALID_AMOUNT')
    await expect(call(alice, payments, paymentsAbi, 'receiveToken', [1n, bob.account.address])).rejects.toThrow(
      'TOKEN_NOT_SUPPORTED',
    )
  })

  test('rejects tokens that return false, move nothing despite true, or re-enter', async () => {
    const contracts = compileSource('hostile.sol', hostile)
    for (const [name, error] of [
      ['FalseToken', 'TOKEN_PAYMENT_FAILED'],
      ['LyingToken', 'TOKEN_PAYMENT_FAILED'],
      ['ReenteringToken', 'TOKEN_PAYMENT_FAILED'],
    ] as const) {
      const { abi, evm } = contracts[name] ?? { abi: [], evm: { bytecode: { object: '' } } }
      const token = await chain.deploy(abi as Abi, `0x${evm.bytecode.object}`)
      await call(owner, payments, paymentsAbi, 'updateERC20Token', [token, true])
      await call(owner, token, abi as Abi, 'mint', [alice.account.address, 100n])
      if (name === 'ReenteringToken') await call(owner, token, abi as Abi, 'aim', [payments])
      await expect(call(alice, payments, paymentsAbi, 'receiveToken', [10n, token])).rejects.toThrow(error)
      expect(await heldOf(token)).toBe(0n)
    }
  })

  test('accepts a permit in one transaction, even if another account submitted the permit first', async () => {
    const deadline = 2n ** 48n
    const domain = { name: 'USD Coin', version: '1', chainId: 31337, verifyingContract: usdc }
    const message = { owner: alice.account.address, spender: payments, value: 500n, nonce: 0n, deadline }
    const signature = parseSignature(
      await alice.signTypedData({ domain, types: permitTypes, primaryType: 'Permit', message }),
    )
    const parts = [deadline, Number(signature.v), signature.r, signature.s]
    // Bob sends faster.
    await call(bob, usdc, localUsdcAbi, 'permit', [alice.account.address, payments, 500n, ...parts])
    const args = [500n, usdc, bob.account.address, ...parts]
    expect(eventsOf(await call(alice, payments, paymentsAbi, 'receiveTokenWithPermit', args))).toMatchObject([
      { amount: 500n },
    ])
    await expect(call(alice, payments, paymentsAbi, 'receiveTokenWithPermit', args)).rejects.toThrow(
      'TOKEN_PAYMENT_FAILED',
    )

    const daiDomain = { name: 'Dai Stablecoin', version: '1', chainId: 31337, verifyingContract: dai }
    const daiMessage = { holder: alice.account.address, spender: payments, nonce: 0n, expiry: 0n, allowed: true }
    const dais = parseSignature(
      await alice.signTypedData({
        domain: daiDomain,
        types: daiPermitTypes,
        primaryType: 'Permit',
        message: daiMessage,
      }),
    )
    const daiArgs = [77n, dai, alice.account.address, 0n, 0n, Number(dais.v), dais.r, dais.s]
    expect(eventsOf(await call(alice, payments, paymentsAbi, 'receiveTokenWithDaiPermit', daiArgs))).toMatchObject([
      { amount: 77n, data: '0x' },
    ])
  })

  test('accepts an authorisation from any sender, once, and only for the account it was signed for', async () => {
    const salt = toHex(7n, { size: 32 })
    const nonce = await chain.reader.readContract({
      address: payments,
      abi: paymentsAbi,
      functionName: 'authorizationNonce',
      args: [bob.account.address, salt],
    })
    const signature = await alice.signTypedData({
      domain: { name: 'USD Coin', version: '1', chainId: 31337, verifyingContract: usdc },
      types: authorizationTypes,
      primaryType: 'ReceiveWithAuthorization',
      message: { from: alice.account.address, to: payments, value: 9n, validAfter: 0n, validBefore: 2n ** 48n, nonce },
    })
    const bring = (beneficiary: Hex) =>
      call(bob, payments, paymentsAbi, 'receiveTokenWithAuthorization', [
        alice.account.address,
        9n,
        usdc,
        beneficiary,
        0n,
        2n ** 48n,
        salt,
        signature,
      ])
    await expect(bring(owner.account.address)).rejects.toThrow('invalid signature')
    const [event] = eventsOf(await bring(bob.account.address))
    expect(event).toMatchObject({ sender: alice.account.address, amount: 9n })
    expect(decodeAbiParameters([{ type: 'address' }], event?.data ?? '0x')).toEqual([bob.account.address])
    await expect(bring(bob.account.address)).rejects.toThrow('used')
  })
})

describe('the owner', () => {
  test('alone allows tokens, pauses and withdraws', async () => {
    for (const [name, args] of [
      ['updateERC20Token', [usdc, false]],
      ['pause', []],
      ['unpause', []],
      ['withdraw', [zeroAddress, bob.account.address, 0n]],
      ['transferOwnership', [alice.account.address]],
    ] as const) {
      await expect(call(alice, payments, paymentsAbi, name, args)).rejects.toThrow('OwnableUnauthorizedAccount')
    }
    await expect(call(owner, payments, paymentsAbi, 'updateERC20Token', [zeroAddress, true])).rejects.toThrow(
      'INVALID_ZERO_ADDRESS',
    )
  })

  test('pauses payments, not withdrawals', async () => {
    await pay(alice, 100n)
    await call(owner, payments, paymentsAbi, 'pause', [])
    await expect(pay(alice, 1n)).rejects.toThrow('EnforcedPause')
    await call(alice, usdc, localUsdcAbi, 'approve', [payments, 1n])
    await expect(call(alice, payments, paymentsAbi, 'receiveToken', [1n, usdc])).rejects.toThrow('EnforcedPause')
    await call(owner, payments, paymentsAbi, 'withdraw', [zeroAddress, bob.account.address, 100n])
    await call(owner, payments, paymentsAbi, 'unpause', [])
    await pay(alice, 1n)
  })

  test('hands the contract over in two steps', async () => {
    await call(owner, payments, paymentsAbi, 'transferOwnership', [alice.account.address])
    await expect(call(alice, payments, paymentsAbi, 'pause', [])).rejects.toThrow('OwnableUnauthorizedAccount')
    await call(alice, payments, paymentsAbi, 'acceptOwnership', [])
    await call(alice, payments, paymentsAbi, 'pause', [])
    await expect(call(owner, payments, paymentsAbi, 'unpause', [])).rejects.toThrow('OwnableUnauthorizedAccount')
  })

  test('cannot renounce the contract: its balance stays within reach', async () => {
    await pay(alice, 100n)
    await expect(call(owner, payments, paymentsAbi, 'renounceOwnership', [])).rejects.toThrow('OWNER_REQUIRED')
    await call(owner, payments, paymentsAbi, 'withdraw', [zeroAddress, bob.account.address, 100n])
  })

  test('withdraws plain transfers to the given address', async () => {
    await call(alice, usdc, localUsdcAbi, 'transfer', [payments, 40n])
    await payToken(alice, usdc, 60n)
    expect(await heldOf(usdc)).toBe(100n)
    await call(owner, payments, paymentsAbi, 'withdraw', [usdc, bob.account.address, 70n])
    expect(await heldOf(usdc)).toBe(30n)
    await expect(call(owner, payments, paymentsAbi, 'withdraw', [usdc, bob.account.address, 31n])).rejects.toThrow(
      'INSUFFICIENT_CONTRACT_BALANCE',
    )
    await expect(call(owner, payments, paymentsAbi, 'withdraw', [usdc, zeroAddress, 1n])).rejects.toThrow(
      'INVALID_ZERO_ADDRESS',
    )
    await pay(alice, 9n)
    const refusing = compileSource('hostile.sol', hostile)['RefusingReceiver']
    const receiver = await chain.deploy([], `0x${refusing?.evm.bytecode.object ?? ''}`)
    await expect(call(owner, payments, paymentsAbi, 'withdraw', [zeroAddress, receiver, 9n])).rejects.toThrow(
      'WITHDRAWAL_FAILED',
    )
  })
})

test('the balance equals the events less the withdrawals, in any order of calls', async () => {
  const actions = fc.array(
    fc.record({
      kind: fc.constantFrom('pay', 'payFor', 'token', 'gift', 'withdraw', 'fee', 'pause', 'unpause'),
      token: fc.constantFrom(0, 1, 2, 3),
      amount: fc.bigInt({ min: 0n, max: 10_000n }),
    }),
    { minLength: 5, maxLength: 25 },
  )
  await fc.assert(
    fc.asyncProperty(actions, async (steps) => {
      await chain.miner.revert({ id: snapshot })
      snapshot = await chain.miner.snapshot()
      const tokens: readonly Hex[] = [zeroAddress, usdc, usdt, dai]
      const paid = new Map<Hex, bigint>()
      const given = new Map<Hex, bigint>()
      const taken = new Map<Hex, bigint>()
      const add = (map: Map<Hex, bigint>, token: Hex, amount: bigint) => map.set(token, (map.get(token) ?? 0n) + amount)
      let ids = 0n
      const note = (receipt: Receipt) => {
        for (const { tokenAddress, amount, txId } of eventsOf(receipt)) {
          expect(txId).toBe(++ids)
          add(paid, tokens.find((token) => token.toLowerCase() === tokenAddress.toLowerCase()) ?? '0x', amount)
        }
      }
      for (const { kind, token: index, amount } of steps) {
        const token = tokens[index] ?? zeroAddress
        try {
          if (kind === 'pay') note(await pay(alice, amount))
          if (kind === 'payFor') note(await call(alice, payments, paymentsAbi, 'payFor', [bob.account.address], amount))
          if (kind === 'token' && token !== zeroAddress) {
            await call(alice, token, localUsdtAbi, 'approve', [payments, 0n])
            note(await payToken(alice, token, amount))
          }
          if (kind === 'gift' && token !== zeroAddress) {
            const before = await heldOf(token)
            await call(bob, token, localUsdtAbi, 'transfer', [payments, amount])
            add(given, token, (await heldOf(token)) - before)
          }
          if (kind === 'withdraw') {
            await call(owner, payments, paymentsAbi, 'withdraw', [token, bob.account.address, amount])
            add(taken, token, amount)
          }
          if (kind === 'fee') await call(owner, usdt, localUsdtAbi, 'setFee', [amount % 5000n])
          if (kind === 'pause') await call(owner, payments, paymentsAbi, 'pause', [])
          if (kind === 'unpause') await call(owner, payments, paymentsAbi, 'unpause', [])
        } catch (error) {
          // Rejected as a whole: none of it may appear below.
          expect(String(error)).toMatch(
            /INVALID_AMOUNT|INSUFFICIENT|EnforcedPause|ExpectedPause|TOKEN_PAYMENT_FAILED|fee/,
          )
        }
      }
      for (const token of tokens) {
        const held = token === zeroAddress ? await chain.reader.getBalance({ address: payments }) : await heldOf(token)
        expect(held).toBe((paid.get(token) ?? 0n) + (given.get(token) ?? 0n) - (taken.get(token) ?? 0n))
      }
    }),
    { numRuns: 8 * Number(process.env['CAIRN_TEST_FUZZ'] ?? 1) },
  )
})

function getCase(token: Hex) {
  return expect.stringMatching(new RegExp(`^${token}$`, 'i'))
}

const permitTypes = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const
const daiPermitTypes = {
  Permit: [
    { name: 'holder', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'expiry', type: 'uint256' },
    { name: 'allowed', type: 'bool' },
  ],
} as const
const authorizationTypes = {
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
