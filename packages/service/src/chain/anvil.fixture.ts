import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Abi, Hex } from 'viem'
import { encodeDeployData, encodeFunctionData } from 'viem/utils'

/** A contract that {@link compile} made. */
export type Compiled = { abi: Abi; bytecode: Hex }

/** A real EVM node with the contracts and transactions of one test. */
export type Anvil = AsyncDisposable & {
  url: string
  /** Accounts it signs for, in lower case. */
  accounts: readonly Hex[]
  request(method: string, params: readonly unknown[]): Promise<unknown>
  deploy(contract: Compiled, args?: readonly unknown[]): Promise<Hex>
  send(contract: Compiled, to: Hex, functionName: string, args: readonly unknown[]): Promise<void>
}

const require = createRequire(import.meta.url)

/**
 * Starts anvil on a free port. Its chain id is 31337.
 * @param args additional arguments; by default blocks are mined on request
 */
export async function startAnvil(args: readonly string[] = ['--no-mining']): Promise<Anvil> {
  const folder = dirname(require.resolve('@foundry-rs/anvil-linux-amd64/package.json'))
  const process = spawn(join(folder, 'bin/anvil'), ['--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let url = ''
  for await (const line of createInterface(process.stdout)) {
    const address = /Listening on (\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    url = `http://${address}`
    break
  }
  // Drains its output: a full pipe would stop it.
  process.stdout.resume()

  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answer: { result?: unknown; error?: { message: string } } = JSON.parse(await response.text())
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }
  const listed = await request('eth_accounts', [])
  const accounts = Array.isArray(listed)
    ? listed.map((address): Hex => `0x${String(address).slice(2).toLowerCase()}`)
    : []
  const [from] = accounts

  const transact = async (transaction: { to?: Hex; data: Hex }): Promise<Record<string, unknown>> => {
    const hash = await request('eth_sendTransaction', [{ from, gas: '0x989680', ...transaction }])
    // Mined on request, so no test waits for a receipt.
    await request('evm_mine', [])
    const receipt = await request('eth_getTransactionReceipt', [hash])
    if (typeof receipt !== 'object' || receipt === null || !('status' in receipt)) throw new Error('no receipt')
    if (receipt.status !== '0x1') throw new Error('the transaction was reverted')
    return { ...receipt }
  }

  return {
    url,
    accounts,
    request,
    async deploy({ abi, bytecode }, args = []) {
      const receipt = await transact({ data: encodeDeployData({ abi, bytecode, args }) })
      return `0x${String(receipt['contractAddress']).slice(2)}`
    },
    async send({ abi }, to, functionName, args) {
      await transact({ to, data: encodeFunctionData({ abi, functionName, args }) })
    },
    async [Symbol.asyncDispose]() {
      if (process.exitCode !== null) return
      process.kill()
      await once(process, 'exit')
    },
  }
}
