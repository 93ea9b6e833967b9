import { readFileSync } from 'node:fs'
import { maxHeight, payloadCapacity } from '@cairn/pieces'
import { CairnError, GIB, MIB, maxPossessionLeaves } from '@cairn/protocol'
import { readDocument } from '@cairn/service'
import * as v from 'valibot'

/** A configured storage provider. */
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
      /** The chain's endpoint. Defaults to the public one of the network. */
      readonly rpcUrl: string | undefined
      /** The provider's id in the registry on the chain. */
      readonly providerId: number
      /** URL of the provider; must match its service URL in the registry. */
      readonly url: string
      /** The paying wallet, when `key` is one of its session keys. */
      readonly payer: string | undefined
      /** Epochs after which a piece counts as added. */
      readonly confirmations: number
      /** Private key of the paying wallet, or of one of its session keys: 0x and 64 hex digits. */
      readonly key: string
    }

/** When packs become pieces, pieces aggregates and aggregates deals, and how often deals are proven. Times in ms. */
export type DealSettings = {
  /** Number of providers per aggregate, unless an account requests another number. */
  readonly copies: number
  /** Maximum number that an account may request. */
  readonly maxCopies: number
  /** Maximum payload of a piece in bytes; larger packs are split into several pieces. */
  readonly pieceBytes: number
  /** Maximum size of an aggregate, padded. One is made once no further piece fits… */
  readonly targetBytes: number
  /** …or once a piece has waited for this long. */
  readonly waitMs: number
  /** A copy that was not proven for this long counts as lost. */
  readonly challengeMs: number
  /** Number of leaves per challenge. */
  readonly challengeLeaves: number
  /** Interval between checks for due work. */
  readonly pollMs: number
  /** Base URL that providers fetch from. Defaults to the public URL of the API. */
  readonly pullUrl: string | undefined
}

const name = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 characters of a-z, 0-9 and -'))
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
        payer: v.optional(v.pipe(v.string(), v.regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits'))),
        confirmations: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(900)), 5),
        ...secret,
      }),
    ]),
  ),
  v.maxLength(50),
)

/**
 * Parses the operator's list of storage providers. Each has its key in `key`, or in the file that `keyFile` names.
 * @throws CairnError INVALID_CONFIGURATION naming what is wrong, never a key
 */
export function parseProviders(json: string): readonly ProviderSettings[] {
  if (json.trim() === '') return []
  const providers = read('CAIRN_PROVIDERS', providersSchema, json).map((one): ProviderSettings => {
    const key = one.key ?? readKeyFile(one.name, one.keyFile)
    if (one.kind === 'filecoin') {
      if (!/^0x[0-9a-fA-F]{64}$/.test(key))
        throw wrong('CAIRN_PROVIDERS', `the key of ${one.name} must be 0x and 64 hex digits`)
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
const count = (max: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(max))

const dealSchema = v.strictObject({
  copies: v.optional(count(20), 2),
  maxCopies: v.optional(count(20), 5),
  targetBytes: v.optional(count(32 * GIB), GIB),
  // A quarter of a padded GiB: three and an index make an aggregate that Filecoin providers accept.
  pieceBytes: v.optional(
    v.pipe(v.number(), v.safeInteger(), v.minValue(4 * MIB), v.maxValue(payloadCapacity(maxHeight - 1))),
    payloadCapacity(23),
  ),
  waitSeconds: v.optional(seconds, 3600),
  challengeSeconds: v.optional(v.pipe(seconds, v.minValue(1)), 6 * 3600),
  challengeLeaves: v.optional(count(maxPossessionLeaves), 20),
  pollMs: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(50), v.maxValue(3_600_000)), 5000),
  pullUrl: v.optional(httpUrl),
})

/** Parses the deal settings. @throws CairnError INVALID_CONFIGURATION naming what is wrong */
export function parseDealSettings(json: string): DealSettings {
  const found = read('CAIRN_DEALS', dealSchema, json.trim() === '' ? '{}' : json)
  const { waitSeconds, challengeSeconds, ...rest } = found
  if (found.copies > found.maxCopies) throw wrong('CAIRN_DEALS', 'copies is greater than maxCopies')
  return { ...rest, pullUrl: found.pullUrl, waitMs: waitSeconds * 1000, challengeMs: challengeSeconds * 1000 }
}

function read<S extends v.GenericSchema>(setting: string, schema: S, json: string): v.InferOutput<S> {
  const found = readDocument(schema, json)
  if ('problem' in found) throw wrong(setting, found.problem)
  return found.output
}

function wrong(setting: string, message: string, cause?: unknown): CairnError {
  return new CairnError('INVALID_CONFIGURATION', { message: `${setting}: ${message}`, details: { setting }, cause })
}
