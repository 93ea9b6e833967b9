// `npm run contract -- <action>`: what the owner of a payment contract does. docs/payments.md tells how.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { paymentsAbi } from '@cairn/contracts'
import { paymentsBytecode } from '@cairn/contracts/deploy'
import { CairnError, formatUnits, isEvmAddress, isPrivateKey, parseUnits, zeroAddress } from '@cairn/protocol'
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  parseAbi,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const usage = `npm run contract -- <action> --rpc <url> [--contract 0x…] [--key-file <file>]

  deploy [owner]                    deploys the contract; the key's own address owns it unless told
  status [token…]                   owner, balances, whether tokens are taken, whether it is paused
  allow <token>, forbid <token>     takes a token as payment, or no longer
  pause, unpause                    stops payments, takes them again
  withdraw <token|native> <to> <amount>   in whole coins
  hand-over <address>, take-over    gives the contract to another owner, who takes it

All but status need --key-file, a file that holds nothing but the owner's private key.`

const tokenAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function balanceOf(address holder) view returns (uint256)',
])

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rpc: { type: 'string' }, contract: { type: 'string' }, 'key-file': { type: 'string' } },
})
const [action = '', ...args] = positionals

function fail(message: string): never {
  throw new CairnError('INVALID_REQUEST', { message, hint: usage })
}

function readAddress(text: string | undefined, what: string): Hex {
  if (!isEvmAddress(text)) fail(`${what} is no address: ${text ?? 'none given'}`)
  return text
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

const reader = createPublicClient({ ccipRead: false, transport: http(values.rpc ?? fail('--rpc is needed')) })
const contract = () => ({ address: readAddress(values.contract, '--contract'), abi: paymentsAbi }) as const

/** A call to an address without code succeeds and does nothing, so what stands there is compared with the contract itself. */
async function requirePayments(): Promise<void> {
  const { address } = contract()
  const code = (await reader.getCode({ address }))?.slice(2) ?? ''
  // What is deployed is the end of what deploys it: the contract has no immutable values.
  if (code !== '' && paymentsBytecode.endsWith(code)) return
  throw new CairnError('INVALID_REQUEST', {
    message: `${address} is not the payment contract: there is ${code === '' ? 'no' : 'another'} contract at this address`,
    hint: 'Nothing was sent. Compare the address with what `deploy` printed, and check that --rpc is the same chain.',
  })
}

async function openWallet() {
  const path = values['key-file'] ?? fail('--key-file is needed')
  const key = (await readFile(path, 'utf8')).trim()
  if (!isPrivateKey(key)) fail(`${path} holds no private key`)
  const account = privateKeyToAccount(`0x${key.replace(/^0x/, '')}`)
  return createWalletClient({ account, ccipRead: false, transport: http(values.rpc) })
}

async function wait(hash: Hex): Promise<Hex | null | undefined> {
  const receipt = await reader.waitForTransactionReceipt({ hash })
  if (receipt.status !== 'success') throw new CairnError('PAYMENT_FAILED', { details: { txHash: hash } })
  say(`done in block ${receipt.blockNumber}, transaction ${hash}`)
  return receipt.contractAddress
}

/** Plays a call through first, so that an error has its name, and sends it. */
async function send(functionName: string, parts: readonly unknown[]): Promise<void> {
  const wallet = await openWallet()
  await requirePayments()
  const abi: Abi = paymentsAbi
  const request = { address: contract().address, abi, functionName, args: parts }
  await reader.simulateContract({ ...request, account: wallet.account })
  await wait(await wallet.writeContract({ ...request, chain: null }))
}

async function describe(token: Hex): Promise<{ symbol: string; decimals: number; held: bigint }> {
  if (token === zeroAddress) {
    return { symbol: 'native', decimals: 18, held: await reader.getBalance({ address: contract().address }) }
  }
  const about = { address: token, abi: tokenAbi } as const
  const [symbol, decimals, held] = await Promise.all([
    reader.readContract({ ...about, functionName: 'symbol' }),
    reader.readContract({ ...about, functionName: 'decimals' }),
    reader.readContract({ ...about, functionName: 'balanceOf', args: [contract().address] }),
  ])
  return { symbol, decimals, held }
}

const actions: Record<string, () => Promise<void>> = {
  async deploy() {
    const wallet = await openWallet()
    const owner = args[0] === undefined ? wallet.account.address : readAddress(args[0], 'owner')
    const hash = await wallet.deployContract({
      abi: paymentsAbi,
      bytecode: paymentsBytecode,
      args: [owner],
      chain: null,
    })
    say(`contract ${await wait(hash)}, owned by ${owner}`)
  },
  async status() {
    await requirePayments()
    const [owner, next, isPaused, last] = await Promise.all([
      reader.readContract({ ...contract(), functionName: 'owner' }),
      reader.readContract({ ...contract(), functionName: 'pendingOwner' }),
      reader.readContract({ ...contract(), functionName: 'paused' }),
      reader.readContract({ ...contract(), functionName: 'lastTxId' }),
    ])
    say(`owner      ${owner}${next === zeroAddress ? '' : `, handing over to ${next}`}`)
    say(`payments   ${last}${isPaused ? ', paused' : ''}`)
    for (const token of [zeroAddress as Hex, ...args.map((text) => readAddress(text, 'token'))]) {
      const { symbol, decimals, held } = await describe(token)
      const isTaken =
        token === zeroAddress ||
        (await reader.readContract({ ...contract(), functionName: 'getTokenStatus', args: [token] }))
      say(`${symbol.padEnd(10)} ${formatUnits(held, decimals)}${isTaken ? '' : ', not taken'}`)
    }
  },
  allow: () => send('updateERC20Token', [readAddress(args[0], 'token'), true]),
  forbid: () => send('updateERC20Token', [readAddress(args[0], 'token'), false]),
  pause: () => send('pause', []),
  unpause: () => send('unpause', []),
  async withdraw() {
    await requirePayments()
    const token: Hex = args[0] === 'native' ? `0x${'0'.repeat(40)}` : readAddress(args[0], 'token')
    const { decimals } = await describe(token)
    await send('withdraw', [token, readAddress(args[1], 'receiver'), parseUnits(args[2] ?? '', decimals)])
  },
  'hand-over': () => send('transferOwnership', [readAddress(args[0], 'new owner')]),
  'take-over': () => send('acceptOwnership', []),
}

try {
  await (actions[action] ?? (() => fail(`there is no action "${action}"`)))()
} catch (error) {
  process.stderr.write(CairnError.is(error) ? `${error.message}\n\n${error.hint}\n` : `${explain(error)}\n`)
  process.exitCode = 1
}

/** What the chain said, with the contract's own name for it. */
function explain(error: unknown): string {
  if (!(error instanceof BaseError)) return String(error)
  const revert = error.walk((one) => one instanceof ContractFunctionRevertedError)
  const name = revert instanceof ContractFunctionRevertedError ? revert.data?.errorName : undefined
  return name === undefined ? error.shortMessage : `${error.shortMessage} ${name}`
}
