import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { base58btc } from 'multiformats/bases/base58'
import { loadLitesvm } from '../../../../apps/local/src/solana/litesvm.ts'
import { startLocalSolana } from '../../../../apps/local/src/solana/local-solana.ts'

/** The Solana chain of a local network, whose accounts a test writes. */
export type TestSolana = AsyncDisposable & {
  readonly url: string
  readonly genesisHash: string
  setBalance(address: string, lamports: bigint): void
  /** Writes an SPL token account of 165 bytes. */
  setTokens(account: string, mint: string, owner: string, amount: bigint): void
}

const systemProgram = '11111111111111111111111111111111'
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

export async function startTestSolana(): Promise<TestSolana> {
  const litesvm = loadLitesvm()
  if (litesvm === undefined) throw new Error('The Solana engine has no package for this machine')
  const home = await mkdtemp(join(tmpdir(), 'cairn-solana-'))
  const chain = await startLocalSolana(litesvm, { home, host: '127.0.0.1', port: 0 })
  return {
    url: chain.url,
    genesisHash: chain.genesisHash,
    setBalance: (address, lamports) =>
      chain.setAccount(address, { lamports, data: new Uint8Array(0), owner: systemProgram }),
    setTokens(account, mint, owner, amount) {
      const data = Buffer.alloc(165)
      data.set(base58btc.baseDecode(mint), 0)
      data.set(base58btc.baseDecode(owner), 32)
      data.writeBigUInt64LE(amount, 64)
      data[108] = 1
      chain.setAccount(account, { lamports: 2_039_280n, data, owner: tokenProgram })
    },
    async [Symbol.asyncDispose]() {
      await chain[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}
