// The owner's tool for a contract wallet, and the source for explorers, as documented in docs/operate/contract.md.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { localUsdcAbi, paymentsAbi } from '@cairn/contracts'
import { localUsdcBytecode, paymentsBytecode } from '@cairn/contracts/deploy'
import { startTestChain, type TestChain } from '@cairn/service/test-chain-fixture'
import { type Abi, decodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checksumOf } from '../../services/storage/src/contract/safe-batch.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../../services/storage/src/contract-main.ts')
const { compile }: { compile(input: string): string } = createRequire(import.meta.url)('solc')

/** A wallet with code, like a Safe: it makes the calls that its owner submits. */
const walletSource = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;
contract Wallet {
    address private immutable owner = msg.sender;
    receive() external payable {}
    function execute(address to, uint256 value, bytes calldata data) external {
        require(msg.sender == owner);
        (bool done, bytes memory returned) = to.call{value: value}(data);
        if (!done) assembly { revert(add(returned, 32), mload(returned)) }
    }
}`
const walletAbi = parseAbi(['function execute(address to, uint256 value, bytes data)'])

let chain: TestChain
let folder: string
let safe: Hex
let payments: Hex
let usdc: Hex

beforeAll(async () => {
  chain = await startTestChain()
  folder = await mkdtemp(join(tmpdir(), 'cairn-safe-'))
  const input = {
    language: 'Solidity',
    sources: { 'Wallet.sol': { content: walletSource } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  }
  const { contracts } = JSON.parse(compile(JSON.stringify(input)))
  safe = getAddress(await chain.deploy(walletAbi, `0x${contracts['Wallet.sol'].Wallet.evm.bytecode.object}`))
  payments = getAddress(await chain.deploy(paymentsAbi, paymentsBytecode, [safe]))
  usdc = getAddress(await chain.deploy(localUsdcAbi, localUsdcBytecode))
})
afterAll(async () => {
  await chain?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function tool(...args: string[]): Promise<string> {
  const node = ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', program, ...args]
  return (await run(process.execPath, node)).stdout
}
const onChain = () => ['--rpc', chain.url, '--contract', payments]

/** Waits until a transaction is in a block, so that the next read of the chain knows it. */
async function mined(hash: Promise<Hex>): Promise<void> {
  expect((await chain.reader.waitForTransactionReceipt({ hash: await hash })).status).toBe('success')
}

/** Writes an owner's call, checks the parts of the file that a Safe reads, and makes the call from the contract wallet. */
async function ask(...args: string[]): Promise<{ name: string; inputs: readonly unknown[] }> {
  const path = join(folder, `${args.join('-')}.json`)
  const head = await chain.reader.getBlockNumber()
  expect(await tool(...args, ...onChain(), '--safe', path)).toContain('nothing was sent')
  expect(await chain.reader.getBlockNumber()).toBe(head)
  const batch = JSON.parse(await readFile(path, 'utf8'))
  expect(batch).toMatchObject({ version: '1.0', chainId: '31337', createdAt: expect.any(Number) })
  expect(batch.meta.createdFromSafeAddress).toBe(safe)
  expect(batch.meta.checksum).toBe(checksumOf(batch))
  const [{ to, value, data, contractMethod, contractInputsValues }] = batch.transactions
  expect([batch.transactions.length, to, value]).toEqual([1, payments, '0'])
  const abi: Abi = paymentsAbi
  const { functionName, args: inputs = [] } = decodeFunctionData({ abi, data })
  expect(contractMethod).toMatchObject({ name: functionName, payable: false })
  expect(Object.values(contractInputsValues ?? {})).toEqual(inputs.map(String))
  const [owner] = chain.wallets
  const call = [to, BigInt(value), data] as const
  await mined(owner.writeContract({ address: safe, abi: walletAbi, functionName: 'execute', args: call }))
  return { name: functionName, inputs }
}
const read = (functionName: 'paused' | 'owner' | 'pendingOwner') =>
  chain.reader.readContract({ address: payments, abi: paymentsAbi, functionName })

test('writes calls for an owner that is a Safe, and they have the stated effect', async () => {
  expect(await ask('allow', usdc)).toEqual({ name: 'updateERC20Token', inputs: [usdc, true] })
  const status = { address: payments, abi: paymentsAbi, functionName: 'getTokenStatus', args: [usdc] } as const
  expect(await chain.reader.readContract(status)).toBe(true)
  expect((await ask('forbid', usdc)).inputs).toEqual([usdc, false])
  expect(await chain.reader.readContract(status)).toBe(false)

  const [owner, alice] = chain.wallets
  await mined(alice.sendTransaction({ to: payments, value: 3n * 10n ** 18n }))
  const to: Hex = `0x${'7'.repeat(40)}`
  expect((await ask('withdraw', 'native', to, '2.5')).name).toBe('withdraw')
  expect(await chain.reader.getBalance({ address: to })).toBe(25n * 10n ** 17n)

  await ask('pause')
  expect(await read('paused')).toBe(true)
  await ask('unpause')
  expect(await read('paused')).toBe(false)

  // To a wallet and back: the Safe offers, the wallet accepts and offers, the Safe accepts.
  await ask('hand-over', owner.account.address)
  const accept = { address: payments, abi: paymentsAbi } as const
  await mined(owner.writeContract({ ...accept, functionName: 'acceptOwnership' }))
  const refused = tool('pause', ...onChain(), '--safe', join(folder, 'refused.json'))
  await expect(refused).rejects.toThrow('is not a Safe: the address has no contract')
  await mined(owner.writeContract({ ...accept, functionName: 'transferOwnership', args: [safe] }))
  await ask('take-over')
  expect(await read('owner')).toBe(safe)
})

test('writes nothing for a call that would fail, for another contract, or over an existing file', async () => {
  const path = join(folder, 'kept.json')
  await writeFile(path, 'kept')
  const to: Hex = `0x${'7'.repeat(40)}`
  await expect(tool('pause', ...onChain(), '--safe', path)).rejects.toThrow('already exists, and is not replaced')
  expect(await readFile(path, 'utf8')).toBe('kept')
  const wrong = join(folder, 'wrong.json')
  const much = tool('withdraw', 'native', to, '99', ...onChain(), '--safe', wrong)
  await expect(much).rejects.toThrow('INSUFFICIENT_CONTRACT_BALANCE')
  await expect(tool('pause', '--rpc', chain.url, '--contract', usdc, '--safe', wrong)).rejects.toThrow(
    'another contract',
  )
  await expect(tool('pause', ...onChain(), '--safe', wrong, '--key-file', path)).rejects.toThrow('omit --key-file')
  await expect(tool('deploy', '--rpc', chain.url, '--safe', wrong)).rejects.toThrow('omit --safe')
  await expect(readFile(wrong)).rejects.toThrow('ENOENT')
})

test('the written source compiles to the code on the chain, with the arguments of its deployment', async () => {
  const path = join(folder, 'payments-input.json')
  const keyFile = join(folder, 'owner.key')
  // Anvil's first key.
  await writeFile(keyFile, '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80\n')
  const deployed = await tool('deploy', safe, '--rpc', chain.url, '--key-file', keyFile)
  const [, hash = ''] = /transaction (0x[0-9a-f]{64})/.exec(deployed) ?? []
  const [, address = ''] = /contract (0x[0-9a-fA-F]{40})/.exec(deployed) ?? []
  const output = await tool('source', path, hash, '--rpc', chain.url)
  expect(output).toContain('contract   Payments.sol:Payments\n')
  expect(output).toMatch(/compiler {3}v\d+\.\d+\.\d+\+commit\.[0-9a-f]{8}, EVM paris\n/)
  expect(output.toLowerCase()).toContain(`address    ${address.toLowerCase()}\n`)

  // Without any other file, as an explorer compiles it.
  const { errors = [], contracts } = JSON.parse(compile(await readFile(path, 'utf8')))
  expect(errors).toEqual([])
  const { bytecode, deployedBytecode } = contracts['Payments.sol'].Payments.evm
  expect(`0x${deployedBytecode.object}`).toBe(await chain.reader.getCode({ address: address as Hex }))
  const [, encoded = ''] = /arguments {2}([0-9a-f]+)\n/.exec(output) ?? []
  expect(encoded).toBe(safe.slice(2).toLowerCase().padStart(64, '0'))
  expect((await chain.reader.getTransaction({ hash: hash as Hex })).input).toBe(`0x${bytecode.object}${encoded}`)

  await expect(tool('source', path)).rejects.toThrow('already exists, and is not replaced')
  const [owner] = chain.wallets
  const other = await owner.sendTransaction({ to: safe, value: 1n })
  await mined(Promise.resolve(other))
  const second = join(folder, 'second.json')
  await expect(tool('source', second, other, '--rpc', chain.url)).rejects.toThrow('did not deploy')
  expect(await tool('source', second)).toContain('Payments.sol:Payments')
})
