import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClient, createWalletClient, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { findAnvil, startAnvil } from './anvil.ts'

/** Starts a node that mines nothing by itself, with a wallet that has one ether. It ends with `stack`. */
export async function startManualChain(stack: AsyncDisposableStack) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-chain-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const options = { host: '127.0.0.1', port: 0, chainId: foundry.id, stateFile: join(folder, 'state.json') }
  const { url } = stack.use(await startAnvil(findAnvil(process.env['PATH']) ?? '', options))
  const transport = http(url)
  const account = privateKeyToAccount(generatePrivateKey())
  const node = createTestClient({ mode: 'anvil', chain: foundry, transport })
  const wallet = createWalletClient({ account, chain: foundry, transport })
  await node.setAutomine(false)
  await node.setBalance({ address: account.address, value: parseEther('1') })
  return { url, transport, node, wallet, account }
}
