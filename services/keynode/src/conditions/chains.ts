import { CairnError, type ChainFamilyName, chainFamilies } from '@cairn/protocol'
import { readDocument } from '@cairn/service'
import * as v from 'valibot'
import { knownChains } from './known-chains.ts'

export type Family = ChainFamilyName

/** A configured chain for conditions. */
export type Chain = {
  /** Its first name, in the case used in the configuration. */
  name: string
  family: Family
  /** Queried in this order. May contain secrets: never in answers or logs. */
  rpcUrls: readonly string[]
  /**
   * EVM: the chain id. Solana: the genesis hash. Coreum: the network's id. Endpoints that report another one are not
   * used.
   */
  chainId?: string
  /** How many blocks behind the newest one conditions are read, as protection against reorganisations. */
  confirmations: number
  /** Maximum age of the newest block; beyond it, the endpoint has fallen behind. */
  maxBlockAgeSeconds?: number
}

/** The configured chains. */
export type Chains = {
  /** All valid names: those of the chains first, then aliases, each sorted. */
  names: readonly string[]
  all: readonly Chain[]
  /**
   * Returns the chain of that name, in any case.
   *
   * @throws CHAIN_NOT_SUPPORTED with the configured names in details
   */
  find(family: Family, name: string): Chain
}

const url = v.pipe(
  v.string(),
  v.maxLength(2048),
  v.check((text: string) => {
    const parsed = URL.parse(text)
    return parsed !== null && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === ''
  }, 'must be an http or https URL without a user name'),
)
const name = v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$/, 'must be the name of a chain'))
const chain = v.strictObject({
  family: v.optional(v.picklist(chainFamilies)),
  rpcUrls: v.pipe(v.array(url), v.minLength(1), v.maxLength(8)),
  chainId: v.optional(
    v.pipe(v.union([v.pipe(v.number(), v.safeInteger(), v.minValue(1)), v.string()]), v.transform(String)),
  ),
  confirmations: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000))),
  aliases: v.optional(v.pipe(v.array(name), v.maxLength(64))),
  maxBlockAgeSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
})
const documentSchema = v.strictObject({ chains: v.record(name, chain) })

/** Maximum age of the newest block for endpoints of public chains to count as live. */
const maxPublicBlockAgeSeconds = 900
const defaultConfirmations = 3

function refuse(message: string): never {
  throw new CairnError('INVALID_CONFIGURATION', { message: `The chains are not valid: ${message}` })
}

/**
 * Parses the chains for conditions: `{ "chains": { "<name>": { "family", "rpcUrls", "chainId", "confirmations",
 * "aliases", "maxBlockAgeSeconds" } } }`. Names of {@link knownChains} need no family and chain id.
 *
 * @throws INVALID_CONFIGURATION without repeating URLs, which may contain secrets
 */
export function parseChains(text: string): Chains {
  const read = readDocument(documentSchema, text)
  if ('problem' in read) return refuse(read.problem)
  const all: Chain[] = []
  const aliases: string[] = []
  const byName = new Map<string, Chain>()
  for (const [chainName, settings] of Object.entries(read.output.chains)) {
    const known = knownChains.get(chainName.toLowerCase())
    const family = settings.family ?? known?.family ?? refuse(`${chainName} requires a family`)
    const chainId = settings.chainId ?? (known?.family === family ? known.chainId : undefined)
    if (family === 'evm' && !/^[1-9]\d{0,15}$/.test(chainId ?? '')) refuse(`${chainName} requires a numeric chainId`)
    const maxAge =
      settings.maxBlockAgeSeconds ??
      (chainId !== undefined && chainId === known?.chainId ? maxPublicBlockAgeSeconds : undefined)
    const made: Chain = {
      name: chainName,
      family,
      rpcUrls: settings.rpcUrls,
      ...(chainId === undefined ? {} : { chainId }),
      confirmations: settings.confirmations ?? defaultConfirmations,
      ...(maxAge === undefined ? {} : { maxBlockAgeSeconds: maxAge }),
    }
    all.push(made)
    for (const each of [chainName, ...(settings.aliases ?? [])]) {
      const key = `${family} ${each.toLowerCase()}`
      if (byName.has(key)) refuse(`the name ${each} appears twice`)
      byName.set(key, made)
      if (each !== chainName) aliases.push(each)
    }
  }
  const names = [...all.map(({ name }) => name).sort(), ...aliases.sort()]
  return {
    names,
    all,
    find(family, wanted) {
      const found = byName.get(`${family} ${wanted.trim().toLowerCase()}`)
      if (found !== undefined) return found
      throw new CairnError('CHAIN_NOT_SUPPORTED', {
        message: `The chain ${wanted.slice(0, 64)} is not supported by this node`,
        details: { chains: names },
      })
    },
  }
}
