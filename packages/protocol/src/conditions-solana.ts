import * as v from 'valibot'
import { isSolanaAddress } from './address.ts'
import { solanaChains } from './chain-families.ts'
import { caseless, conditionIdSchema, parametersSchema, returnValueTestSchema } from './condition-parts.ts'

const address = v.pipe(
  v.string('is required'),
  v.check((text: string) => isSolanaAddress(text), 'must be a Solana address in base58'),
)

const pdaInterface = v.strictObject({
  offset: v.optional(v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0), v.maxValue(10_485_760))),
  selector: v.optional(
    v.pipe(v.string(), v.maxLength(256), v.regex(/^[A-Za-z0-9_.[\]-]*$/, 'must be field names joined by dots')),
  ),
})
/** An empty list would pass as an object without keys. */
const notAList = v.never('must be an object')

const entries = {
  id: conditionIdSchema,
  chain: caseless(solanaChains),
  parameters: v.optional(parametersSchema),
  /** Position of the value in the result of the call: a path, and the index or byte offset there. */
  pdaInterface: v.lazy((input) => (Array.isArray(input) ? notAList : pdaInterface)),
  returnValueTest: returnValueTestSchema,
}

/** A condition on Solana; `standardContractType` in its canonical case. */
export const solanaConditionSchema = v.variant(
  'standardContractType',
  [
    v.strictObject({
      ...entries,
      standardContractType: v.literal(''),
      method: v.picklist(
        ['getBalance', 'getLastBlockTime', 'getBlockHeight'],
        'must be getBalance, getLastBlockTime or getBlockHeight',
      ),
      contractAddress: v.optional(v.union([v.literal(''), address], 'must be a Solana address in base58')),
    }),
    v.strictObject({
      ...entries,
      standardContractType: v.literal('spl-token'),
      method: v.picklist(['getTokenAccountsByOwner'], 'must be getTokenAccountsByOwner'),
      /** The mint. */
      contractAddress: address,
    }),
  ],
  'must be spl-token or empty',
)
export type SolanaCondition = v.InferOutput<typeof solanaConditionSchema>

export const solanaContractTypes = ['', 'spl-token'] as const
