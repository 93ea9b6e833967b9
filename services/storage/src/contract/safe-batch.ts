import { type Abi, encodeFunctionData, getAbiItem, type Hex, keccak256, stringToHex } from 'viem'

/** Version of the Transaction Builder whose files these are: `importBatch` of safe-wallet-monorepo, apps/tx-builder. */
const txBuilderVersion = '1.18.0'

type SafeTransaction = {
  to: Hex
  /** Smallest units of the chain's own coin. The Transaction Builder rejects numbers. */
  value: string
  data: Hex
  contractMethod: { inputs: readonly object[]; name: string; payable: boolean }
  contractInputsValues: Record<string, string> | null
}

/** A file that the Transaction Builder of Safe imports. */
export type SafeBatch = {
  version: '1.0'
  chainId: string
  /** Milliseconds since 1970. */
  createdAt: number
  meta: {
    name: string
    description: string
    txBuilderVersion: string
    createdFromSafeAddress: string
    createdFromOwnerAddress: string
    checksum?: string
  }
  transactions: SafeTransaction[]
}

/** One call of a contract that a Safe is to make. */
export type SafeCall = { chainId: number; safe: Hex; to: Hex; abi: Abi; functionName: string; args: readonly unknown[] }

/**
 * Returns a batch with one call, ready for signatures. The data is the call itself; the method and its inputs are there for people.
 * @throws Error if the ABI has no such function with such arguments
 */
export function createSafeBatch(
  { chainId, safe, to, abi, functionName, args }: SafeCall,
  createdAt: number,
): SafeBatch {
  const method = getAbiItem({ abi, name: functionName, args })
  if (method?.type !== 'function') throw new Error(`The ABI has no function ${functionName}`)
  const { inputs, name, stateMutability } = method
  const inputsValues = Object.fromEntries(inputs.map(({ name: input = '' }, index) => [input, String(args[index])]))
  const batch: SafeBatch = {
    version: '1.0',
    chainId: String(chainId),
    createdAt,
    meta: {
      name: `${functionName} of ${to}`,
      description: `${functionName}(${args.map(String).join(', ')}) of the payment contract ${to}, sent by its owner ${safe}`,
      txBuilderVersion,
      createdFromSafeAddress: safe,
      createdFromOwnerAddress: '',
    },
    transactions: [
      {
        to,
        value: '0',
        data: encodeFunctionData({ abi, functionName, args }),
        contractMethod: { inputs, name, payable: stateMutability === 'payable' },
        contractInputsValues: inputs.length === 0 ? null : inputsValues,
      },
    ],
  }
  return { ...batch, meta: { ...batch.meta, checksum: checksumOf(batch) } }
}

/**
 * The checksum that the Transaction Builder compares, without which it warns that the file was changed: Keccak-256 of the batch
 * without its checksum and with a null name, with the sorted names of each object before its values.
 * @see https://github.com/safe-global/safe-react-apps/blob/main/apps/tx-builder/src/lib/checksum.ts
 */
export function checksumOf(batch: Record<string, unknown> & { meta: object }): Hex {
  const meta = Object.fromEntries(Object.entries(batch.meta).filter(([name]) => name !== 'checksum'))
  return keccak256(stringToHex(serialize({ ...batch, meta: { ...meta, name: null } })))
}

function serialize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialize).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${JSON.stringify(entries.map(([name]) => name))}${entries.map(([, part]) => `${serialize(part)},`).join('')}}`
}
