import * as v from 'valibot'
import { isCoreumAddress, isEvmAddress, isSolanaAddress, normalizeAddress, zeroAddress } from './address.ts'

/** The families whose chains key nodes read and whose wallets own keys, as operators write them. */
export const chainFamilies = ['evm', 'solana', 'coreum'] as const
export type ChainFamilyName = (typeof chainFamilies)[number]

export const solanaChains = ['DEVNET', 'TESTNET', 'MAINNET'] as const
export const coreumChains = ['Coreum_Devnet', 'Coreum_Testnet', 'Coreum_Mainnet'] as const

/** What clients and services know of a family besides its conditions, which `conditions.ts` lists. */
export type ChainFamilyFacts = {
  /** Its name in texts, such as the message of a sign-in. */
  name: string
  /** Whether a text has the form of its addresses. */
  isAddress: (text: unknown) => boolean
}

export const familyFacts: Readonly<Record<ChainFamilyName, ChainFamilyFacts>> = {
  evm: { name: 'Ethereum', isAddress: isEvmAddress },
  solana: { name: 'Solana', isAddress: isSolanaAddress },
  coreum: { name: 'Coreum', isAddress: isCoreumAddress },
}

/** The documented chains of a family; the operator names those of a family without. */
export type DocumentedChains = {
  /** Chain of a new condition. */
  usual: string
  names: readonly string[]
  /** The id that each chain reports. */
  ids: Readonly<Record<string, string>>
}

export const documentedChains: Readonly<Record<ChainFamilyName, DocumentedChains>> = {
  evm: { usual: 'Ethereum', names: [], ids: {} },
  solana: {
    usual: 'MAINNET',
    names: solanaChains,
    // Genesis hashes, as returned by `getGenesisHash`.
    ids: {
      MAINNET: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
      DEVNET: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
      TESTNET: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
    } satisfies Record<(typeof solanaChains)[number], string>,
  },
  coreum: {
    usual: 'Coreum_Mainnet',
    names: coreumChains,
    ids: {
      Coreum_Mainnet: 'coreum-mainnet-1',
      Coreum_Testnet: 'coreum-testnet-1',
      Coreum_Devnet: 'coreum-devnet-1',
    } satisfies Record<(typeof coreumChains)[number], string>,
  },
}

/** Fields of a response that list conditions by family, as published clients expect. */
export const conditionFields = {
  evm: 'conditions',
  solana: 'conditionsSolana',
  coreum: 'conditionsCoreum',
} as const satisfies Record<ChainFamilyName, string>
export type ConditionField = (typeof conditionFields)[ChainFamilyName]

/** Makes the fields of {@link conditionFields}. */
export function mapConditionFields<Value>(make: (family: ChainFamilyName) => Value): Record<ConditionField, Value> {
  return { conditions: make('evm'), conditionsSolana: make('solana'), conditionsCoreum: make('coreum') }
}

/** Returns the chain type and the conditions of a response; without conditions, none on EVM. */
export function listedConditions<Condition>(
  response: Readonly<Partial<Record<ConditionField, readonly Condition[] | null | undefined>>>,
): { chainType: Uppercase<ChainFamilyName>; conditions: readonly Condition[] } {
  for (const family of chainFamilies) {
    const conditions = response[conditionFields[family]] ?? []
    if (conditions.length > 0) return { chainType: toChainType(family), conditions }
  }
  return { chainType: 'EVM', conditions: [] }
}

/** The families as conditions name them. */
export const readChainTypes = /* @__PURE__ */ chainFamilies.map(toChainType)

function isChainType(text: string): text is Uppercase<ChainFamilyName> {
  return chainFamilies.some((family) => family.toUpperCase() === text)
}

function toChainType(family: ChainFamilyName): Uppercase<ChainFamilyName> {
  const text = family.toUpperCase()
  return isChainType(text) ? text : 'EVM'
}

/** Returns the family that conditions name by `chainType`; undefined if no node reads it. */
export function familyOf(chainType: string): ChainFamilyName | undefined {
  return chainFamilies.find((family) => family === chainType.toLowerCase())
}

/** Returns the family of an address; undefined for any other text. */
export function familyOfAddress(address: unknown): ChainFamilyName | undefined {
  // The form of Solana fits some addresses of other families.
  const isStricter = (family: ChainFamilyName) => family !== 'solana' && familyFacts[family].isAddress(address)
  return chainFamilies.find(isStricter) ?? (isSolanaAddress(address) ? 'solana' : undefined)
}

/**
 * Returns the address of a key owner or recipient in the form that is stored and compared: Solana unchanged, other
 * families in lower case, anything else the empty text.
 */
export function normalizeIdentity(text: unknown): string {
  const family = familyOfAddress(text)
  return typeof text === 'string' && family !== undefined && family !== 'solana'
    ? text.toLowerCase()
    : normalizeAddress(text)
}

/** An address that can own or receive keys, of any family; normalised, and never the zero address. */
export const identitySchema = v.pipe(
  v.string('Invalid public Key'),
  v.trim(),
  v.maxLength(80, 'Invalid public Key'),
  v.transform((text: string) => normalizeIdentity(text)),
  v.nonEmpty('Invalid public Key'),
  v.check((address: string) => address !== zeroAddress, 'Invalid public Key'),
)
