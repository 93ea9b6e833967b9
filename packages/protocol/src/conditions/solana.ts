import * as v from 'valibot'
import { isSolanaAddress } from '../networks/address.ts'
import { solanaChains } from '../networks/chain-families.ts'
import { fieldMessage } from '../reasons/field-rules.ts'
import { caseless, conditionIdSchema, parametersSchema, returnValueTestSchema } from './parts.ts'
import { conditionMessage } from './rules.ts'

const address = v.pipe(
  v.string(fieldMessage('FIELD_REQUIRED')),
  v.check((text: string) => isSolanaAddress(text), conditionMessage('NOT_A_SOLANA_ADDRESS')),
)

const pdaInterface = v.strictObject({
  /** A number, or a text with one, as the published documentation has it. */
  offset: v.optional(
    v.pipe(
      v.union(
        [v.number(), v.pipe(v.string(), v.regex(/^\d{1,8}$/), v.transform(Number))],
        fieldMessage('NOT_A_NUMBER'),
      ),
      v.integer(),
      v.minValue(0),
      v.maxValue(10_485_760),
    ),
  ),
  selector: v.optional(
    v.pipe(v.string(), v.maxLength(256), v.regex(/^[A-Za-z0-9_.[\]-]*$/, conditionMessage('NOT_FIELD_NAMES'))),
  ),
})
/** An empty list would pass as an object without keys. */
const notAList = v.never(fieldMessage('NOT_AN_OBJECT'))

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
        conditionMessage('ANOTHER_OF_TWO', { names: 'getBalance, getLastBlockTime', last: 'getBlockHeight' }),
      ),
      contractAddress: v.optional(v.union([v.literal(''), address], conditionMessage('NOT_A_SOLANA_ADDRESS'))),
    }),
    v.strictObject({
      ...entries,
      standardContractType: v.literal('spl-token'),
      method: v.picklist(
        ['getTokenAccountsByOwner'],
        fieldMessage('ANOTHER_VALUE', { expected: 'getTokenAccountsByOwner' }),
      ),
      /** The mint. */
      contractAddress: address,
    }),
  ],
  conditionMessage('ANOTHER_VALUE_NOT_EMPTY', { names: 'spl-token' }),
)
export type SolanaCondition = v.InferOutput<typeof solanaConditionSchema>

export const solanaContractTypes = ['', 'spl-token'] as const
