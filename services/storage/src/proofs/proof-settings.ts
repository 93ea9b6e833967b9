import { readFileSync } from 'node:fs'
import { heightMost, roomOf } from '@cairn/pieces'
import { CairnError, GIB, MIB, possessionLeavesMost } from '@cairn/protocol'
import * as v from 'valibot'

/** A storage provider the operator works with. */
export type ProviderSettings =
  | {
      readonly kind: 'cairn'
      readonly name: string
      readonly url: string
      readonly publicUrl: string
      readonly key: string
    }
  | {
      readonly kind: 'filecoin'
      readonly name: string
      readonly network: 'mainnet' | 'calibration'
      /** The chain's endpoint; the public one of the network where it is absent. */
      readonly rpcUrl: string | undefined
      /** The provider's number in the registry on the chain. */
      readonly providerId: number
      /** Where the provider answers: its service URL in the registry has to be this one. */
      readonly url: string
      /** Who pays, where `key` is a session key of that wallet. */
      readonly payer: string | undefined
      /** Epochs after which a piece counts as added. */
      readonly confirmations: number
      /** Private key of the wallet that pays, or of a session key of it: 0x and 64 hex digits. */
      readonly key: string
    }

/** When packs become pieces, pieces aggregates and aggregates deals, and how often those are proven. Times in ms. */
export type DealSettings = {
  /** Providers each aggregate is kept by, unless an account wants another number. */
  readonly copies: number
  /** Most an account may ask for. */
  readonly copiesMost: number
  /** Larger packs are cut into several pieces: in bytes of payload. */
  readonly pieceBytes: number
  /** Largest aggregate, padded. One is made once no more pieces fit into it… */
  readonly targetBytes: number
  /** …or once something has waited for so long. */
  readonly waitMs: number
  /** A copy that was not proven for so long is counted as lost. */
  readonly challengeMs: number
  /** Leaves asked for in one challenge. */
  readonly challengeLeaves: number
  /** How often there is a look at what is to be done. */
  readonly pollMs: number
  /** Base URL that providers fetch from; the public one of the API where it is absent. */
  readonly pullUrl: string | undefined
}

const name = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'is 1 to 32 of a-z, 0-9 and -'))
const httpUrl = v.pipe(
  v.string(),
  v.url(),
  v.check((text) => /^https?:/.test(text), 'must be an http or https URL'),
)
const secret = { key: v.optional(v.pipe(v.string(), v.minLength(16))), keyFile: v.optional(v.string()) }

const providersSchema = v.pipe(
  v.array(
    v.variant('kind', [
      v.strictObject({ kind: v.literal('cairn'), name, url: httpUrl, publicUrl: v.optional(httpUrl), ...secret }),
      v.strictObject({
        kind: v.literal('filecoin'),
        name,
        network: v.picklist(['mainnet', 'calibration']),
        rpcUrl: v.optional(httpUrl),
        providerId: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
        url: httpUrl,
        payer: v.optional(v.pipe(v.string(), v.regex(/^0x[0-9a-fA-F]{40}$/, 'is 0x and 40 hex digits'))),
        confirmations: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(900)), 5),
        ...secret,
      }),
    ]),
  ),
  v.maxLength(50),
)

/**
 * Reads the operator's list of storage providers. Each has its key in `key`, or in the file that `keyFile` names.
 * @throws CairnError INVALID_CONFIGURATION naming what is wrong, never a key
 */
export function parseProviders(json: string): readonly ProviderSettings[] {
  if (json.trim() === '') return []
  const providers = read('CAIRN_PROVIDERS', providersSchema, json).map((one): ProviderSettings => {
    const key = one.key ?? readKeyFile(one.name, one.keyFile)
    if (one.kind === 'filecoin') {
      if (!/^0x[0-9a-fA-F]{64}$/.test(key))
        throw wrong('CAIRN_PROVIDERS', `the key of ${one.name} is not 0x and 64 hex digits`)
      const { kind, name, network, rpcUrl, providerId, url, payer, confirmations } = one
      return { kind, name, network, rpcUrl, providerId, url, payer, confirmations, key }
    }
    return { kind: one.kind, name: one.name, url: one.url, publicUrl: one.publicUrl ?? one.url, key }
  })
  if (new Set(providers.map((one) => one.name)).size !== providers.length) {
    throw wrong('CAIRN_PROVIDERS', 'two providers have the same name')
  }
  return providers
}

function readKeyFile(provider: string, path: string | undefined): string {
  if (path === undefined) throw wrong('CAIRN_PROVIDERS', `${provider} has neither key nor keyFile`)
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (text.length < 16) throw new Error('it is shorter than 16 characters')
    return text
  } catch (cause) {
    throw wrong('CAIRN_PROVIDERS', `the keyFile of ${provider} cannot be read`, cause)
  }
}

const seconds = v.pipe(v.number(), v.minValue(0), v.maxValue(366 * 86_400))
const count = (most: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(most))

const dealSchema = v.strictObject({
  copies: v.optional(count(20), 2),
  copiesMost: v.optional(count(20), 5),
  targetBytes: v.optional(count(32 * GIB), GIB),
  // A quarter of a padded GiB: three and an index make an aggregate that providers of the Filecoin network take.
  pieceBytes: v.optional(
    v.pipe(v.number(), v.safeInteger(), v.minValue(4 * MIB), v.maxValue(roomOf(heightMost - 1))),
    roomOf(23),
  ),
  waitSeconds: v.optional(seconds, 3600),
  challengeSeconds: v.optional(v.pipe(seconds, v.minValue(1)), 6 * 3600),
  challengeLeaves: v.optional(count(possessionLeavesMost), 20),
  pollMs: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(50), v.maxValue(3_600_000)), 5000),
  pullUrl: v.optional(httpUrl),
})

/** Reads how deals are made. @throws CairnError INVALID_CONFIGURATION naming what is wrong */
export function parseDealSettings(json: string): DealSettings {
  const found = read('CAIRN_DEALS', dealSchema, json.trim() === '' ? '{}' : json)
  const { waitSeconds, challengeSeconds, ...rest } = found
  if (found.copies > found.copiesMost) throw wrong('CAIRN_DEALS', 'copies is more than copiesMost')
  return { ...rest, pullUrl: found.pullUrl, waitMs: waitSeconds * 1000, challengeMs: challengeSeconds * 1000 }
}

function read<S extends v.GenericSchema>(setting: string, schema: S, json: string): v.InferOutput<S> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    throw wrong(setting, 'it is not JSON', cause)
  }
  const found = v.safeParse(schema, value)
  if (found.success) return found.output
  const [issue] = found.issues
  // The message of an issue quotes what it got; a key must not get into a log that way.
  throw wrong(
    setting,
    `${v.getDotPath(issue) ?? 'the whole'} ${issue.path?.at(-1)?.key === 'key' ? 'is not valid' : `is not valid: ${issue.message}`}`,
  )
}

function wrong(setting: string, message: string, cause?: unknown): CairnError {
  return new CairnError('INVALID_CONFIGURATION', { message: `${setting}: ${message}`, details: { setting }, cause })
}
