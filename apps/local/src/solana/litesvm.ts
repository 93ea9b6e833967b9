import { createRequire } from 'node:module'

/** Result of a transaction that was executed. */
type Executed = { signature(): Uint8Array }
/** Result of a transaction that was rejected or failed. */
type Failed = { err(): unknown; toString(): string }

/** An account of the chain. */
export type SvmAccount = {
  lamports(): bigint
  data(): Uint8Array
  owner(): Uint8Array
  executable(): boolean
}

type Clock = {
  slot: bigint
  epoch: bigint
  epochStartTimestamp: bigint
  leaderScheduleEpoch: bigint
  unixTimestamp: bigint
}

/** The Solana virtual machine, with the system and token programs. */
export type Svm = {
  airdrop(address: Uint8Array, lamports: bigint): Executed | Failed | null
  getAccount(address: Uint8Array): SvmAccount | null
  getBalance(address: Uint8Array): bigint | null
  getProgramAccounts(program: Uint8Array): { address: Uint8Array; account(): SvmAccount }[]
  getClock(): Clock
  setClock(clock: Clock): void
  warpToSlot(slot: bigint): void
  getTransaction(signature: Uint8Array): Executed | Failed | null
  latestBlockhash(): string
  minimumBalanceForRentExemption(bytes: bigint): bigint
  /** Legacy and versioned transactions. Bytes that are not a transaction abort the process. */
  sendVersionedTransaction(transaction: Uint8Array): Executed | Failed
  setAccount(address: Uint8Array, account: SvmAccount): void
  /** The whole state; other versions of the engine may not read it. */
  toBytes(): Uint8Array
}

/** The native library. */
export type Engine = {
  LiteSvm: { new (): Svm; fromBytes(bytes: Uint8Array): Svm }
  Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => SvmAccount
}

/** The engine. @see https://github.com/LiteSVM/litesvm */
export type Litesvm = { engine: Engine; version: string }

/**
 * The engine's native packages by platform and processor. The engine's own wrapper is not used: it brings Solana's client
 * library along.
 */
const packages: Record<string, string> = { 'linux-x64': 'litesvm-linux-x64-gnu' }

const require = createRequire(import.meta.url)

/** Loads the engine; undefined if there is none for this machine. */
export function loadLitesvm(platform = `${process.platform}-${process.arch}`): Litesvm | undefined {
  const name = packages[platform]
  if (name === undefined) return undefined
  try {
    const { version }: { version: string } = require(`${name}/package.json`)
    return { engine: require(name), version }
  } catch (error) {
    // The package is optional, and its library needs glibc.
    if (
      error instanceof Error &&
      'code' in error &&
      ['MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED'].includes(String(error.code))
    )
      return undefined
    throw error
  }
}
