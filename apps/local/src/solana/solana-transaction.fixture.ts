import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const systemProgram = '1'.repeat(32)
const mintBytes = 82
const tokenAccountBytes = 165
const lamportsPerSol = 1_000_000_000

/** A Solana key pair. */
export type SolanaSigner = { address: string; secret: string; sign(message: Uint8Array): Uint8Array }

/** An instruction; every account is writable. */
export type Instruction = { program: string; accounts: readonly string[]; data: Uint8Array }

export function createSolanaSigner(secret = randomBytes(32).toString('hex')): SolanaSigner {
  const pkcs8 = Buffer.from(`302e020100300506032b657004220420${secret}`, 'hex')
  const key: KeyObject = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { address: base58btc.baseEncode(publicKey), secret, sign: (message) => sign(null, message, key) }
}

/** Calls a method. @throws Error with the endpoint's message */
export async function callSolana(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer: { result?: unknown; error?: { message: string } } = JSON.parse(
    await (await fetch(url, { method: 'POST', body })).text(),
  )
  if (answer.error !== undefined) throw new Error(answer.error.message)
  const { result } = answer
  return typeof result === 'object' && result !== null && 'value' in result ? result.value : result
}

/** Signs a legacy transaction; the first signer pays. */
export function signTransaction(
  blockhash: string,
  signers: readonly SolanaSigner[],
  instructions: readonly Instruction[],
): Buffer {
  const signing = signers.map(({ address }) => address)
  const programs = [...new Set(instructions.map(({ program }) => program))]
  const others = new Set(instructions.flatMap(({ accounts }) => accounts).filter((one) => !signing.includes(one)))
  const keys = [...signing, ...others, ...programs]
  const message = Buffer.concat([
    Buffer.from([signing.length, 0, programs.length, keys.length]),
    ...keys.map((key) => base58btc.baseDecode(key)),
    base58btc.baseDecode(blockhash),
    Buffer.from([instructions.length]),
    ...instructions.map(({ program, accounts, data }) =>
      Buffer.concat([
        Buffer.from([keys.indexOf(program), accounts.length, ...accounts.map((one) => keys.indexOf(one)), data.length]),
        data,
      ]),
    ),
  ])
  return Buffer.concat([Buffer.from([signers.length]), ...signers.map((one) => one.sign(message)), message])
}

export async function sendInstructions(
  url: string,
  signers: readonly SolanaSigner[],
  instructions: readonly Instruction[],
): Promise<unknown> {
  const { blockhash } = await latestBlockhash(url)
  const transaction = signTransaction(blockhash, signers, instructions)
  return callSolana(url, 'sendTransaction', transaction.toString('base64'), { encoding: 'base64' })
}

export async function latestBlockhash(url: string): Promise<{ blockhash: string }> {
  const value = await callSolana(url, 'getLatestBlockhash')
  if (typeof value !== 'object' || value === null || !('blockhash' in value) || typeof value.blockhash !== 'string')
    throw new Error('no blockhash')
  return { blockhash: value.blockhash }
}

/** A transfer of the system program. */
export function transfer(from: string, to: string, lamports: bigint): Instruction {
  return { program: systemProgram, accounts: [from, to], data: bytes(['u32', 2n], ['u64', lamports]) }
}

/**
 * Creates a mint with two decimals, and an account with its tokens, by transactions of the token program.
 * @returns address of the mint and of the account
 */
export async function mintTokens(
  url: string,
  owner: string,
  amount: bigint,
): Promise<{ mint: string; account: string }> {
  const [payer, mint, account] = [createSolanaSigner(), createSolanaSigner(), createSolanaSigner()]
  await callSolana(url, 'requestAirdrop', payer.address, lamportsPerSol)
  const payerKey = base58btc.baseDecode(payer.address)
  const create = async (address: string, size: number): Promise<Instruction> => ({
    program: systemProgram,
    accounts: [payer.address, address],
    data: Buffer.concat([
      bytes(
        ['u32', 0n],
        ['u64', BigInt(Number(await callSolana(url, 'getMinimumBalanceForRentExemption', size)))],
        ['u64', BigInt(size)],
      ),
      base58btc.baseDecode(tokenProgram),
    ]),
  })
  const token = (accounts: string[], data: Uint8Array): Instruction => ({ program: tokenProgram, accounts, data })
  await sendInstructions(
    url,
    [payer, mint, account],
    [
      await create(mint.address, mintBytes),
      // InitializeMint2: two decimals, the payer may mint, and no account may freeze.
      token([mint.address], Buffer.concat([Buffer.from([20, 2]), payerKey, Buffer.from([0])])),
      await create(account.address, tokenAccountBytes),
      // InitializeAccount3
      token([account.address, mint.address], Buffer.concat([Buffer.from([18]), base58btc.baseDecode(owner)])),
      // MintTo
      token([mint.address, account.address, payer.address], Buffer.concat([Buffer.from([7]), bytes(['u64', amount])])),
    ],
  )
  return { mint: mint.address, account: account.address }
}

function bytes(...fields: ['u32' | 'u64', bigint][]): Buffer {
  return Buffer.concat(
    fields.map(([type, value]) => {
      const buffer = Buffer.alloc(type === 'u32' ? 4 : 8)
      if (type === 'u32') buffer.writeUInt32LE(Number(value))
      else buffer.writeBigUInt64LE(value)
      return buffer
    }),
  )
}
