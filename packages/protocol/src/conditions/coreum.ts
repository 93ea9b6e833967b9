import * as v from 'valibot'
import { coreumChains } from '../networks/chain-families.ts'
import { fieldMessage } from '../reasons/field-rules.ts'
import { caseless, conditionIdSchema, parametersSchema, returnValueTestSchema } from './parts.ts'
import { conditionMessage } from './rules.ts'

const required = fieldMessage('FIELD_REQUIRED')

/** Both become part of request paths, so only what the chain itself allows is accepted. */
const denom = v.pipe(
  v.string(required),
  v.regex(/^[A-Za-z][A-Za-z0-9/:._-]{2,127}$/, conditionMessage('NOT_A_DENOMINATION')),
  v.check((text: string) => !text.includes('..'), conditionMessage('NOT_A_DENOMINATION')),
)
const classid = v.pipe(
  v.string(required),
  v.regex(/^[A-Za-z][A-Za-z0-9/:-]{2,100}$/, conditionMessage('NOT_A_CLASS_ID')),
)
const contractAddress = v.pipe(v.string(), v.regex(/^[a-z0-9]{0,90}$/i, conditionMessage('NOT_A_COREUM_ADDRESS')))

const entries = {
  id: conditionIdSchema,
  chain: caseless(coreumChains),
  standardContractType: v.pipe(v.string(), v.maxLength(32)),
  contractAddress: v.optional(contractAddress),
  parameters: v.optional(parametersSchema),
  returnValueTest: returnValueTestSchema,
}

/** A condition on Coreum; a non-empty `standardContractType` requires a contract and parameters. */
export const coreumConditionSchema = v.pipe(
  v.variant(
    'method',
    [
      v.strictObject({
        ...entries,
        method: v.literal('getFtsByAddress'),
        denom,
        classid: v.optional(v.union([v.literal(''), classid])),
      }),
      v.strictObject({
        ...entries,
        method: v.literal('getNftsByAddress'),
        classid,
        denom: v.optional(v.union([v.literal(''), denom])),
      }),
      v.strictObject({
        ...entries,
        method: v.literal('getLastBlockTime'),
        denom: v.optional(v.union([v.literal(''), denom])),
        classid: v.optional(v.union([v.literal(''), classid])),
      }),
    ],
    conditionMessage('ANOTHER_OF_TWO', { names: 'getFtsByAddress, getNftsByAddress', last: 'getLastBlockTime' }),
  ),
  v.forward(
    v.check((condition) => condition.standardContractType === '' || Boolean(condition.contractAddress), required),
    ['contractAddress'],
  ),
  v.forward(
    v.check((condition) => condition.standardContractType === '' || condition.parameters !== undefined, required),
    ['parameters'],
  ),
)
export type CoreumCondition = v.InferOutput<typeof coreumConditionSchema>

export const radixChains = ['Radix_Mainnet'] as const

/** A condition on Radix: parsed, so that the error can state that no node reads that chain. */
export const radixConditionSchema = v.strictObject({
  id: conditionIdSchema,
  chain: caseless(radixChains),
  standardContractType: v.pipe(v.string(), v.maxLength(32)),
  method: v.picklist(
    ['getFtsByAddress', 'getNftsByAddress'],
    conditionMessage('ANOTHER_OF_TWO', { names: 'getFtsByAddress', last: 'getNftsByAddress' }),
  ),
  resourceAddress: v.pipe(v.string(required), v.regex(/^[a-z0-9_]{1,128}$/, conditionMessage('NOT_A_RADIX_ADDRESS'))),
  returnValueTest: returnValueTestSchema,
})
export type RadixCondition = v.InferOutput<typeof radixConditionSchema>
