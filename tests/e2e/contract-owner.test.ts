// The owner's tool as documented in docs/payments.md: deploy, allow, pause, withdraw, hand over.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { localUsdcAbi, paymentsAbi } from '@cairn/contracts'
import { localUsdcBytecode } from '@cairn/contracts/deploy'
import { paymentsSource } from '@cairn/contracts/source'
import { startTestChain } from '@cairn/service/test-chain-fixture'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../../services/storage/src/contract-main.ts')
const { compile }: { compile(input: string): string } = createRequire(import.meta.url)('solc')

/** Compiles the payment contract of the version whose owner could renounce it. @returns the deployment code */
function compileEarlier(): `0x${string}` {
  const { content } = paymentsSource.input.sources['Payments.sol']
  const earlier = content
    .replace(/ {4}\/\/\/ @notice The owner cannot give up.*\n.*error OWNER_REQUIRED.*\n/, '')
    .replace(/ {4}\/\/\/ @notice Always fails: without an owner[^}]*\}\n\n/, '')
  expect(earlier).not.toMatch(/OWNER_REQUIRED|renounce/)
  const sources = { ...paymentsSource.input.sources, 'Payments.sol': { content: earlier } }
  const { contracts } = JSON.parse(compile(JSON.stringify({ ...paymentsSource.input, sources })))
  return `0x${contracts['Payments.sol'].Payments.evm.bytecode.object}`
}

test('deploys a contract, allows a token, pauses, withdraws and transfers ownership', async () => {
  await using chain = await startTestChain()
  const [owner, alice] = chain.wallets
  const folder = await mkdtemp(join(tmpdir(), 'cairn-owner-'))
  try {
    const [ownerKey, aliceKey] = ['owner.key', 'alice.key'].map((name) => join(folder, name)) as [string, string]
    // Anvil's first two keys.
    await writeFile(ownerKey, '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80\n')
    await writeFile(aliceKey, '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d\n')
    const tool = async (...args: string[]) => {
      const node = ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', program, ...args]
      return (await run(process.execPath, [...node, '--rpc', chain.url])).stdout
    }
    const usdc = await chain.deploy(localUsdcAbi, localUsdcBytecode)
    const output = await tool('deploy', '--key-file', ownerKey)
    const contract = /contract (0x[0-9a-fA-F]{40})/.exec(output)?.[1] as `0x${string}`
    const as = (key: string) => ['--contract', contract, '--key-file', key]
    await tool('allow', usdc, ...as(ownerKey))
    await alice.sendTransaction({ to: contract, value: 3n * 10n ** 18n })
    const status = await tool('status', usdc, '--contract', contract)
    expect(status).toContain(`owner      ${owner.account.address}`)
    expect(status).toMatch(/payments {3}1\nnative {5}3\nUSDC {7}0\n/)
    await tool('pause', ...as(ownerKey))
    expect(await tool('status', '--contract', contract)).toContain('paused')
    const to = `0x${'7'.repeat(40)}` as const
    await tool('withdraw', 'native', to, '2.5', ...as(ownerKey))
    expect(await chain.reader.getBalance({ address: to })).toBe(25n * 10n ** 17n)
    await tool('hand-over', alice.account.address, ...as(ownerKey))
    expect(await tool('status', '--contract', contract)).toContain(`handing over to ${alice.account.address}`)
    await tool('take-over', ...as(aliceKey))
    await expect(tool('unpause', ...as(ownerKey))).rejects.toThrow('OwnableUnauthorizedAccount')
    await tool('unpause', ...as(aliceKey))
    await tool('forbid', usdc, ...as(aliceKey))
    expect(await tool('status', usdc, '--contract', contract)).toContain('not accepted')
    await expect(tool('withdraw', 'native', to, '99', ...as(aliceKey))).rejects.toThrow('INSUFFICIENT_CONTRACT_BALANCE')
    await expect(tool('dance')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('unknown action') })
    await expect(tool('pause', '--contract', contract, '--key-file', join(folder, 'none'))).rejects.toMatchObject({
      code: 1,
      stderr: `${join(folder, 'none')} cannot be used (ENOENT)\n`,
    })
    const gone = [program, 'status', '--contract', contract, '--rpc', 'http://127.0.0.1:1/key']
    await expect(run(process.execPath, ['--conditions=@cairn/source', ...gone])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The endpoint of --rpc does not answer: (?!.*key)/),
    })
    await expect(tool('status', '--dance')).rejects.toThrow(/Unknown option '--dance'.*npm run contract -- <action>/s)
    expect(await tool('--help')).toContain('npm run contract -- <action>')
    for (const [wrong, what] of [
      [to, 'the address has no contract'],
      [usdc, 'another contract'],
    ] as const) {
      const elsewhere = ['--contract', wrong, '--key-file', ownerKey]
      await expect(tool('pause', ...elsewhere)).rejects.toThrow(what)
      await expect(tool('allow', usdc, ...elsewhere)).rejects.toThrow(what)
      await expect(tool('withdraw', 'native', to, '1', ...elsewhere)).rejects.toThrow(what)
      await expect(tool('status', '--contract', wrong)).rejects.toThrow(what)
    }
    await expect(tool('pause', '--contract', 'nowhere', '--key-file', ownerKey)).rejects.toThrow('is not an address')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('manages a contract of an earlier version', async () => {
  await using chain = await startTestChain()
  const [owner] = chain.wallets
  const folder = await mkdtemp(join(tmpdir(), 'cairn-owner-'))
  try {
    const key = join(folder, 'owner.key')
    await writeFile(key, '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80\n')
    const contract = await chain.deploy(paymentsAbi, compileEarlier(), [owner.account.address])
    const to = ['--rpc', chain.url, '--contract', contract, '--key-file', key]
    const node = ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', program]
    expect((await run(process.execPath, [...node, 'pause', ...to])).stdout).toContain('done in block')
    expect((await run(process.execPath, [...node, 'status', ...to])).stdout).toContain('paused')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
