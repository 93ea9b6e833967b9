import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { base58btc } from 'multiformats/bases/base58'

/**
 * A Solana node's JSON-RPC face over the accounts of a real Solana virtual machine in this process: as much of it as
 * conditions ask for.
 */
export type TestSolana = AsyncDisposable & {
  readonly url: string
  readonly genesisHash: string
  setBalance(address: string, lamports: bigint): void
  /** Writes an SPL token account of the 165 bytes the token program has. */
  setTokens(account: string, mint: string, owner: string, amount: bigint): void
}

const systemProgram = '11111111111111111111111111111111'
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const genesisHash = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'

/** The engine's native package: its wrapper's packages for other systems are not served, which would break the lock file. */
type Engine = {
  LiteSvm: new () => {
    setAccount(key: Uint8Array, account: object): void
    getAccount(key: Uint8Array): { data(): Uint8Array } | null
    getBalance(key: Uint8Array): bigint | null
  }
  Account: new (lamports: bigint, data: Uint8Array, owner: Uint8Array, executable: boolean, rentEpoch: bigint) => object
}

export async function startSolana(): Promise<TestSolana> {
  const engine: Engine = createRequire(import.meta.url)('litesvm-linux-x64-gnu')
  const svm = new engine.LiteSvm()
  const tokens: string[] = []
  const bytes = (text: string) => base58btc.baseDecode(text)
  const write = (at: string, lamports: bigint, data: Uint8Array, program: string) => {
    svm.setAccount(bytes(at), new engine.Account(lamports, data, bytes(program), false, 0n))
  }

  const answers: Record<string, (params: unknown[]) => unknown> = {
    getGenesisHash: () => genesisHash,
    getBlockHeight: () => 7,
    getSlot: () => 7,
    getBlockTime: () => Math.floor(Date.now() / 1000),
    getBalance: ([of]) => ({ context: { slot: 7 }, value: svm.getBalance(bytes(String(of))) ?? 0n }),
    getTokenAccountsByOwner([owner, filter, config]) {
      const { mint } = filter as { mint: string }
      const { encoding } = config as { encoding: string }
      const value = tokens.flatMap((pubkey) => {
        const data = svm.getAccount(bytes(pubkey))?.data()
        if (data === undefined) return []
        const [itsMint, itsOwner] = [data.subarray(0, 32), data.subarray(32, 64)].map((part) =>
          base58btc.baseEncode(part),
        )
        if (itsMint !== mint || itsOwner !== owner) return []
        const amount = Buffer.from(data).readBigUInt64LE(64).toString()
        const parsed = { parsed: { info: { mint, owner, state: 'initialized', tokenAmount: { amount, decimals: 0 } } } }
        return [
          {
            pubkey,
            account: { data: encoding === 'base64' ? [Buffer.from(data).toString('base64'), 'base64'] : parsed },
          },
        ]
      })
      return { context: { slot: 7 }, value }
    },
  }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      const { id, method, params = [] } = JSON.parse(text)
      const answer = answers[method]
      const body =
        answer === undefined
          ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
          : { jsonrpc: '2.0', id, result: answer(params) }
      response.setHeader('content-type', 'application/json')
      // Lamports are written as JSON numbers of any size, as a node writes them.
      response.end(
        JSON.stringify(body, (_name, value) => (typeof value === 'bigint' ? `#${value}#` : value)).replace(
          /"#(\d+)#"/g,
          '$1',
        ),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    genesisHash,
    setBalance: (of, lamports) => write(of, lamports, new Uint8Array(0), systemProgram),
    setTokens(account, mint, owner, amount) {
      const data = Buffer.alloc(165)
      data.set(bytes(mint), 0)
      data.set(bytes(owner), 32)
      data.writeBigUInt64LE(amount, 64)
      data[108] = 1
      write(account, 2_039_280n, data, tokenProgram)
      tokens.push(account)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
