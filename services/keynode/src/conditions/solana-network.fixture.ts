import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { address, lamports as lamportsOf } from '@solana/kit'
import { LiteSVM } from 'litesvm'
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

export async function startSolana(): Promise<TestSolana> {
  const svm = new LiteSVM()
  const tokens: string[] = []
  const bytes = (text: string) => base58btc.baseDecode(text)
  const write = (at: string, lamports: bigint, data: Uint8Array, program: string) => {
    svm.setAccount({
      address: address(at),
      lamports: lamportsOf(lamports),
      data,
      space: BigInt(data.length),
      programAddress: address(program),
      executable: false,
    })
  }

  const answers: Record<string, (params: unknown[]) => unknown> = {
    getGenesisHash: () => genesisHash,
    getBlockHeight: () => 7,
    getSlot: () => 7,
    getBlockTime: () => Math.floor(Date.now() / 1000),
    getBalance: ([of]) => ({ context: { slot: 7 }, value: svm.getBalance(address(String(of))) ?? 0n }),
    getTokenAccountsByOwner([owner, filter, config]) {
      const { mint } = filter as { mint: string }
      const { encoding } = config as { encoding: string }
      const value = tokens.flatMap((pubkey) => {
        const found = svm.getAccount(address(pubkey))
        if (!found.exists) return []
        const { data } = found
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
