import * as v from 'valibot'
import { sessionErrors } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes, maxSharedAddressesPerCall } from '../limits.ts'
import { identitySchema } from '../networks/chain-families.ts'
import { cidSchema } from '../schemas/cid.ts'
import { nodeNumberSchema } from './sessions.ts'

// Parts shared by the calls of file keys.

export const json = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs }
export const node = v.object({ node: nodeNumberSchema })
export const addresses = v.pipe(v.array(identitySchema), v.maxLength(maxSharedAddressesPerCall))
export const someAddresses = v.pipe(addresses, v.minLength(1))

/** The caller (the address of the session) and the file. */
export const subject = { address: identitySchema, cid: cidSchema }

/** Values that are known only at read time, by `{condition id}.{name}`. */
export const dynamicData = v.optional(v.nullable(v.record(v.pipe(v.string(), v.maxLength(128)), v.unknown())))

/** Unparsed conditions: `parseConditions` reads them as a whole, because its messages name field and condition. */
export const conditionFields = {
  conditions: v.pipe(v.array(v.unknown()), v.maxLength(100)),
  aggregator: v.optional(v.nullable(v.string())),
  chainType: v.optional(v.nullable(v.string())),
  decryptionType: v.optional(v.nullable(v.string())),
}

/** Response of a change; published clients need five equal ones, except for `data`. */
const success = v.object({
  message: v.literal('success'),
  data: v.optional(
    v.looseObject({
      version: v.optional(v.number()),
      /** Whether a saved set is pending next to the active one until three nodes store it. */
      waits: v.optional(v.boolean()),
      /** Ids of accepted conditions that every value meets, such as `>= 0` of a number that is never negative. */
      openConditions: v.optional(v.array(v.number())),
    }),
  ),
})

/** The format that all changes share. */
export const change = {
  host: 'keys',
  tag: 'Keys',
  auth: 'session',
  params: node,
  response: { kind: 'json', schema: success },
  dialect: 'keyNode',
  limits: json,
  idempotent: true,
} as const

export const changeErrors = [
  ...sessionErrors,
  'ACCESS_DENIED',
  'KEY_NOT_FOUND',
  'CONFLICT',
  'STORAGE_FULL',
  'DATA_DAMAGED',
] as const
