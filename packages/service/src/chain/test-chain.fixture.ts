import {
  type Abi,
  type Account,
  type Chain,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  type PublicClient,
  type TestClient,
  type Transport,
  type WalletClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvil as anvilChain } from 'viem/chains'
import { type Anvil, startAnvil } from './anvil.fixture.ts'
import { waitForReceipt } from './wait-for-receipt.ts'

export type Wallet = WalletClient<Transport, Chain, Account>

/** A real EVM node for one test file; each transaction is mined immediately. */
export type TestChain = AsyncDisposable & {
  url: string
  anvil: Anvil
  reader: PublicClient<Transport, Chain>
  miner: TestClient
  /** Wallets with coins, as anvil creates them. */
  wallets: readonly [owner: Wallet, alice: Wallet, bob: Wallet, carol: Wallet]
  deploy(abi: Abi, bytecode: Hex, args?: readonly unknown[]): Promise<Hex>
}

/** The test keys of anvil, derived from its public mnemonic. */
const keys = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
] as const

const receiptWait = { timeoutMs: 120_000, pollMs: 20 }

export async function startTestChain(args: readonly string[] = []): Promise<TestChain> {
  const anvil = await startAnvil(args)
  const transport = http(anvil.url)
  const reader = createPublicClient({ chain: anvilChain, transport, pollingInterval: 20, cacheTime: 0 }).extend(
    (client) => ({
      waitForTransactionReceipt: ({ hash }: { hash: Hex }) => waitForReceipt(client, hash, receiptWait),
    }),
  )
  const make = (key: Hex): Wallet =>
    createWalletClient({ account: privateKeyToAccount(key), chain: anvilChain, transport })
  const wallets = [make(keys[0]), make(keys[1]), make(keys[2]), make(keys[3])] as const
  return {
    url: anvil.url,
    anvil,
    reader,
    miner: createTestClient({ mode: 'anvil', chain: anvilChain, transport }),
    wallets,
    async deploy(abi, bytecode, deployArgs = []) {
      const hash = await wallets[0].deployContract({ abi, bytecode, args: deployArgs })
      const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
      if (contractAddress == null) throw new Error('nothing was deployed')
      return contractAddress
    },
    [Symbol.asyncDispose]: () => anvil[Symbol.asyncDispose](),
  }
}
