// `npm run contract -- <action>`: actions of the owner of a payment contract. See docs/payments.md and
// docs/operate/contract.md.
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { paymentsAbi } from '@cairn/contracts'
import { paymentsBytecode } from '@cairn/contracts/deploy'
import { paymentsSource } from '@cairn/contracts/source'
import { CairnError, formatUnits, isEvmAddress, isPrivateKey, parseUnits, zeroAddress } from '@cairn/protocol'
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  getAddress,
  type Hex,
  HttpRequestError,
  http,
  isHash,
  parseAbi,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { isPaymentsCode } from './contract/payments-code.ts'
import { createSafeBatch } from './contract/safe-batch.ts'

const usage = `npm run contract -- <action> --rpc <url> [--contract 0x…] [--key-file <file> | --safe <file>]

  deploy [owner]                    deploys the contract. The owner defaults to the address of the key
  status [token…]                   prints the owner, balances, accepted tokens and whether payments are paused
  allow <token>, forbid <token>     accepts a token as payment, or stops accepting it
  pause, unpause                    pauses or resumes payments
  withdraw <token|native> <to> <amount>   withdraws an amount in whole coins
  hand-over <address>, take-over    offers the contract to a new owner, accepts it
  source <file> [transaction]       writes the source for an explorer: standard JSON input of the compiler. With the
                                    transaction of the deployment and --rpc, prints the constructor arguments

Actions that change the contract require --key-file, a file that contains only the owner's private key. Or, if the owner is a
Safe, --safe: it sends nothing and writes the call to a new file for the Transaction Builder of Safe.`

const tokenAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function balanceOf(address holder) view returns (uint256)',
])

/** Exit code for wrong arguments. */
const usageExitCode = 2

const { values, positionals } = readArguments()
const [action = '', ...args] = positionals

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rpc: { type: 'string' },
        contract: { type: 'string' },
        'key-file': { type: 'string' },
        safe: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`)
    process.exit(usageExitCode)
  }
}

function fail(message: string): never {
  throw new CairnError('INVALID_REQUEST', { message, hint: usage })
}

function readAddress(text: string | undefined, what: string): Hex {
  if (!isEvmAddress(text)) fail(`${what} is not an address: ${text ?? 'none given'}`)
  return text
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** The chain of --rpc. */
const reader = () => createPublicClient({ ccipRead: false, transport: http(values.rpc ?? fail('--rpc is required')) })
const contract = () => ({ address: readAddress(values.contract, '--contract'), abi: paymentsAbi }) as const

/**
 * A call to an address without code succeeds and does nothing, so the deployed code is compared with the contract.
 */
async function requirePayments(): Promise<void> {
  const { address } = contract()
  const code = (await reader().getCode({ address })) ?? '0x'
  if (isPaymentsCode(code)) return
  throw new CairnError('INVALID_REQUEST', {
    message: `${address} is not the payment contract: the address has ${code === '0x' ? 'no' : 'another'} contract`,
    hint: 'Nothing was sent. Compare the address with the output of `deploy`, and check that --rpc is on the same chain.',
  })
}

async function openWallet() {
  const path = values['key-file'] ?? fail('--key-file is required')
  const key = (await readFile(path, 'utf8')).trim()
  if (!isPrivateKey(key)) fail(`${path} does not contain a private key`)
  const account = privateKeyToAccount(`0x${key.replace(/^0x/, '')}`)
  return createWalletClient({ account, ccipRead: false, transport: http(values.rpc) })
}

async function wait(hash: Hex): Promise<Hex | null | undefined> {
  const receipt = await reader().waitForTransactionReceipt({ hash })
  if (receipt.status !== 'success') throw new CairnError('PAYMENT_FAILED', { details: { txHash: hash } })
  print(`done in block ${receipt.blockNumber}, transaction ${hash}`)
  return receipt.contractAddress
}

type Call = { address: Hex; abi: Abi; functionName: string; args: readonly unknown[] }

/** Simulates a call first, so that an error has its name. Then sends it, or writes it to the file of --safe. */
async function send(functionName: string, parts: readonly unknown[]): Promise<void> {
  const abi: Abi = paymentsAbi
  const request = { address: contract().address, abi, functionName, args: parts }
  if (values.safe !== undefined) return writeForSafe(values.safe, request)
  const wallet = await openWallet()
  await requirePayments()
  await reader().simulateContract({ ...request, account: wallet.account })
  await wait(await wallet.writeContract({ ...request, chain: null }))
}

async function writeForSafe(path: string, request: Call): Promise<void> {
  if (values['key-file'] !== undefined) fail('--safe sends nothing: omit --key-file')
  await requirePayments()
  const { abi, functionName, args: inputs } = request
  const to = getAddress(request.address)
  const isTakeOver = functionName === 'acceptOwnership'
  const safe = await reader().readContract({ ...contract(), functionName: isTakeOver ? 'pendingOwner' : 'owner' })
  if ((await reader().getCode({ address: safe })) === undefined) {
    throw new CairnError('INVALID_REQUEST', {
      message: `The ${isTakeOver ? 'new owner' : 'owner'} ${safe} is not a Safe: the address has no contract`,
      hint: 'Nothing was written. An owner that is a wallet uses --key-file.',
    })
  }
  await reader().simulateContract({ ...request, account: safe })
  const chainId = await reader().getChainId()
  const batch = createSafeBatch({ chainId, safe, to, abi, functionName, args: inputs }, Date.now())
  await writeFile(path, `${JSON.stringify(batch, null, 2)}\n`, { flag: 'wx' })
  print(`wrote ${functionName}(${inputs.map(String).join(', ')}) to ${path}, for the Safe ${safe} on chain ${chainId}`)
  print('nothing was sent: import the file in the Transaction Builder of the Safe, compare it there, and sign')
}

/** Returns lines with the address and the constructor arguments of a deployment, which explorers expect without 0x. */
async function describeDeployment(hash: string): Promise<string[]> {
  if (!isHash(hash)) fail(`${hash} is not the hash of a transaction`)
  const [{ input }, { contractAddress }] = await Promise.all([
    reader().getTransaction({ hash }),
    reader().getTransactionReceipt({ hash }),
  ])
  if (contractAddress == null || !input.startsWith(paymentsBytecode)) {
    throw new CairnError('INVALID_REQUEST', {
      message: `${hash} did not deploy this version of the payment contract`,
      hint: 'Use the transaction that `deploy` printed, and the version of Cairn that deployed the contract.',
    })
  }
  return [`address    ${contractAddress}`, `arguments  ${input.slice(paymentsBytecode.length)}`]
}

async function describe(token: Hex): Promise<{ symbol: string; decimals: number; held: bigint }> {
  if (token === zeroAddress) {
    return { symbol: 'native', decimals: 18, held: await reader().getBalance({ address: contract().address }) }
  }
  const about = { address: token, abi: tokenAbi } as const
  const [symbol, decimals, held] = await Promise.all([
    reader().readContract({ ...about, functionName: 'symbol' }),
    reader().readContract({ ...about, functionName: 'decimals' }),
    reader().readContract({ ...about, functionName: 'balanceOf', args: [contract().address] }),
  ])
  return { symbol, decimals, held }
}

const actions: Record<string, () => Promise<void>> = {
  async deploy() {
    if (values.safe !== undefined) fail('deploy sends a transaction: omit --safe, and name the Safe as the owner')
    const wallet = await openWallet()
    const owner = args[0] === undefined ? wallet.account.address : readAddress(args[0], 'owner')
    const hash = await wallet.deployContract({
      abi: paymentsAbi,
      bytecode: paymentsBytecode,
      args: [owner],
      chain: null,
    })
    print(`contract ${await wait(hash)}, owned by ${owner}`)
  },
  async status() {
    await requirePayments()
    const [owner, next, isPaused, last] = await Promise.all([
      reader().readContract({ ...contract(), functionName: 'owner' }),
      reader().readContract({ ...contract(), functionName: 'pendingOwner' }),
      reader().readContract({ ...contract(), functionName: 'paused' }),
      reader().readContract({ ...contract(), functionName: 'lastTxId' }),
    ])
    print(`owner      ${owner}${next === zeroAddress ? '' : `, handing over to ${next}`}`)
    print(`payments   ${last}${isPaused ? ', paused' : ''}`)
    for (const token of [zeroAddress as Hex, ...args.map((text) => readAddress(text, 'token'))]) {
      const { symbol, decimals, held } = await describe(token)
      const isTaken =
        token === zeroAddress ||
        (await reader().readContract({ ...contract(), functionName: 'getTokenStatus', args: [token] }))
      print(`${symbol.padEnd(10)} ${formatUnits(held, decimals)}${isTaken ? '' : ', not accepted'}`)
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
  async source() {
    const [path = fail('A file to write is required'), deployment] = args
    const facts = deployment === undefined ? [] : await describeDeployment(deployment)
    await writeFile(path, `${JSON.stringify(paymentsSource.input, null, 2)}\n`, { flag: 'wx' })
    const { contract: name, compilerVersion, input } = paymentsSource
    print(`wrote the standard JSON input of the compiler to ${path}`)
    print(`contract   ${name}`)
    print(`compiler   ${compilerVersion}, EVM ${input.settings.evmVersion}`)
    for (const fact of facts) print(fact)
  },
  'hand-over': () => send('transferOwnership', [readAddress(args[0], 'new owner')]),
  'take-over': () => send('acceptOwnership', []),
}

if (values.help === true) {
  print(usage)
  process.exit(0)
}
try {
  await (actions[action] ?? (() => fail(`unknown action "${action}"`)))()
} catch (error) {
  process.stderr.write(CairnError.is(error) ? `${error.message}\n\n${error.hint}\n` : `${explain(error)}\n`)
  process.exitCode = CairnError.is(error) && error.hint === usage ? usageExitCode : 1
}

/** Returns the chain's error, with the contract's own name for it; the text of any other error. */
function explain(error: unknown): string {
  if (!(error instanceof BaseError)) return explainOther(error)
  // The URL may contain a key, so it is not printed.
  if (error.walk((one) => one instanceof HttpRequestError) !== null)
    return `The endpoint of --rpc does not answer: ${error.shortMessage} Check the URL.`
  const revert = error.walk((one) => one instanceof ContractFunctionRevertedError)
  const name = revert instanceof ContractFunctionRevertedError ? revert.data?.errorName : undefined
  return name === undefined ? error.shortMessage : `${error.shortMessage} ${name}`
}

function explainOther(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!('path' in error) || !('code' in error)) return error.message
  const reason = error.code === 'EEXIST' ? 'already exists, and is not replaced' : `cannot be used (${error.code})`
  return `${error.path} ${reason}`
}
