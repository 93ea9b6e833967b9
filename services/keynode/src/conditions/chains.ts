import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import { knownChains } from './known-chains.ts'

export type Family = 'evm' | 'solana' | 'coreum'

/** A chain that conditions may name, as the operator configured it. */
export type Chain = {
  /** Its first name, in the case of the configuration. */
  name: string
  family: Family
  /** Asked in this order. May hold secrets: never in answers or logs. */
  rpcUrls: readonly string[]
  /** EVM: the number. Solana: the genesis hash. Coreum: the network's id. Endpoints that say another are not used. */
  chainId?: string
  /** How many blocks behind the newest conditions are read, against reorganisations. */
  confirmations: number
  /** Older than this, the newest block means that the endpoint has fallen behind. */
  blockAgeMostSeconds?: number
}

/** The chains that are configured. */
export type Chains = {
  /** All names that can be used: those of the chains first, then aliases, each sorted. */
  names: readonly string[]
  all: readonly Chain[]
  /**
   * The chain of that name, in any case.
   *
   * @throws CHAIN_NOT_SUPPORTED with the names there are in details
   */
  find(family: Family, name: string): Chain
}

const url = v.pipe(
  v.string(),
  v.maxLength(2048),
  v.check((text: string) => {
    const parsed = URL.parse(text)
    return parsed !== null && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === ''
  }, 'must be an http or https URL without a user'),
)
const name = v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$/, 'must be the name of a chain'))
const chain = v.strictObject({
  family: v.optional(v.picklist(['evm', 'solana', 'coreum'])),
  rpcUrls: v.pipe(v.array(url), v.minLength(1), v.maxLength(8)),
  chainId: v.optional(
    v.pipe(v.union([v.pipe(v.number(), v.safeInteger(), v.minValue(1)), v.string()]), v.transform(String)),
  ),
  confirmations: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000))),
  aliases: v.optional(v.pipe(v.array(name), v.maxLength(64))),
  blockAgeMostSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
})
const documentSchema = v.strictObject({ chains: v.record(name, chain) })

/** Endpoints of public chains are believed to be live only when their newest block is younger than this. */
const publicBlockAgeMostSeconds = 900
const defaultConfirmations = 3

function refuse(message: string): never {
  throw new CairnError('INVALID_CONFIGURATION', { message: `The chains are not valid: ${message}` })
}

/**
 * Reads the chains that conditions may use: `{ "chains": { "<name>": { "family", "rpcUrls", "chainId", "confirmations",
 * "aliases", "blockAgeMostSeconds" } } }`. For names of {@link knownChains} family and chain id need not be given.
 *
 * @throws INVALID_CONFIGURATION without repeating URLs, which may hold secrets
 */
export function parseChains(text: string): Chains {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return refuse('they are not JSON')
  }
  const result = v.safeParse(documentSchema, json)
  if (!result.success) {
    const places = result.issues.map((issue) => v.getDotPath(issue) ?? 'the document')
    return refuse(`look at ${[...new Set(places)].join(', ')}`)
  }
  const all: Chain[] = []
  const aliases: string[] = []
  const byName = new Map<string, Chain>()
  for (const [chainName, settings] of Object.entries(result.output.chains)) {
    const known = knownChains.get(chainName.toLowerCase())
    const family = settings.family ?? known?.family ?? refuse(`${chainName} needs a family`)
    const chainId = settings.chainId ?? (known?.family === family ? known.chainId : undefined)
    if (family === 'evm' && !/^[1-9]\d{0,15}$/.test(chainId ?? '')) refuse(`${chainName} needs a chainId, a number`)
    const ageMost =
      settings.blockAgeMostSeconds ??
      (chainId !== undefined && chainId === known?.chainId ? publicBlockAgeMostSeconds : undefined)
    const made: Chain = {
      name: chainName,
      family,
      rpcUrls: settings.rpcUrls,
      ...(chainId === undefined ? {} : { chainId }),
      confirmations: settings.confirmations ?? defaultConfirmations,
      ...(ageMost === undefined ? {} : { blockAgeMostSeconds: ageMost }),
    }
    all.push(made)
    for (const each of [chainName, ...(settings.aliases ?? [])]) {
      const key = `${family} ${each.toLowerCase()}`
      if (byName.has(key)) refuse(`the name ${each} is given twice`)
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
