import * as v from 'valibot'
import { isEvmAddress } from '../networks/address.ts'
import { fieldMessage, noteBrokenRule } from '../reasons/field-rules.ts'
import {
  chainNameSchema,
  conditionIdSchema,
  maxConditionParameters,
  parametersSchema,
  returnValueTestSchema,
} from './parts.ts'
import { conditionMessage, conditionRule } from './rules.ts'

const required = fieldMessage('FIELD_REQUIRED')
const notAnAddress = conditionMessage('NOT_AN_EVM_ADDRESS')

const bytesSizes = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32]
const integerBits = [8, 16, 24, 32, 40, 48, 64, 128, 192, 256]
const elementTypes = [
  'address',
  'bool',
  ...bytesSizes.map((size) => `bytes${size}`),
  ...integerBits.map((bits) => `uint${bits}`),
  ...integerBits.map((bits) => `int${bits}`),
]

/** The Solidity types that Custom conditions may name: no string, no bytes, no tuples. */
export const abiTypes: readonly string[] = [...elementTypes, ...elementTypes.map((type) => `${type}[]`)]

/** Input and output types of a method, from {@link abiTypes}. */
export type EvmSignature = { inputs: readonly string[]; output: string }

/** The methods of the standard types; any other is a Custom condition. */
export const evmMethods: Record<'ERC20' | 'ERC721' | 'ERC1155', Readonly<Record<string, EvmSignature>>> = {
  ERC20: {
    balanceOf: { inputs: ['address'], output: 'uint256' },
    allowance: { inputs: ['address', 'address'], output: 'uint256' },
    totalSupply: { inputs: [], output: 'uint256' },
  },
  ERC721: {
    balanceOf: { inputs: ['address'], output: 'uint256' },
    ownerOf: { inputs: ['uint256'], output: 'address' },
    isApprovedForAll: { inputs: ['address', 'address'], output: 'bool' },
  },
  ERC1155: {
    balanceOf: { inputs: ['address', 'uint256'], output: 'uint256' },
    balanceOfBatch: { inputs: ['address[]', 'uint256[]'], output: 'uint256[]' },
    isApprovedForAll: { inputs: ['address', 'address'], output: 'bool' },
  },
}

const abiType = v.pipe(
  v.string(),
  v.check((type: string) => abiTypes.includes(type), conditionMessage('NOT_AN_ABI_TYPE')),
)
const address = v.pipe(
  v.string(required),
  v.check((text: string) => isEvmAddress(text), notAnAddress),
)
const types = v.pipe(v.array(abiType), v.maxLength(maxConditionParameters))

const entries = {
  id: conditionIdSchema,
  chain: chainNameSchema,
  returnValueTest: returnValueTestSchema,
}

const native = v.strictObject({
  ...entries,
  standardContractType: v.literal(''),
  method: v.picklist(
    ['getBalance', 'getBlockNumber'],
    conditionMessage('ANOTHER_OF_TWO', { names: 'getBalance', last: 'getBlockNumber' }),
  ),
  contractAddress: v.optional(v.union([v.literal(''), address], notAnAddress)),
  parameters: v.optional(parametersSchema),
  inputArrayType: v.optional(types),
  outputType: v.optional(abiType),
})

function standard<const Type extends keyof typeof evmMethods>(type: Type) {
  const methods = evmMethods[type]
  const countInputs = (method: string) => (Object.hasOwn(methods, method) ? methods[method]?.inputs.length : undefined)
  return v.pipe(
    v.strictObject({
      ...entries,
      standardContractType: v.literal(type),
      method: v.pipe(
        v.string(required),
        v.check(
          (method: string) => Object.hasOwn(methods, method),
          conditionMessage('METHOD_OF_ANOTHER_TYPE', { names: Object.keys(methods).join(', '), type }),
        ),
      ),
      contractAddress: address,
      parameters: parametersSchema,
      inputArrayType: v.optional(types),
      outputType: v.optional(abiType),
    }),
    v.forward(
      v.check(
        // An unknown method is already a problem of its own.
        ({ method, parameters }) => (countInputs(method) ?? parameters.length) === parameters.length,
        (issue) =>
          noteBrokenRule(
            issue,
            conditionRule('PARAMETER_COUNT', {
              count: countInputs(issue.input.method) ?? 0,
              method: issue.input.method,
            }),
          ),
      ),
      ['parameters'],
    ),
  )
}

const custom = v.pipe(
  v.strictObject({
    ...entries,
    standardContractType: v.literal('Custom'),
    method: v.pipe(
      v.string(required),
      v.regex(/^[A-Za-z_$][A-Za-z0-9_$]{0,127}$/, conditionMessage('NOT_A_FUNCTION_NAME')),
    ),
    contractAddress: address,
    parameters: parametersSchema,
    inputArrayType: types,
    outputType: abiType,
  }),
  v.forward(
    v.check(
      ({ inputArrayType, parameters }) => inputArrayType.length === parameters.length,
      conditionMessage('PARAMETER_TYPES_COUNT'),
    ),
    ['parameters'],
  ),
)

export const evmContractTypes = ['', 'ERC20', 'ERC721', 'ERC1155', 'Custom'] as const

/** A condition on an EVM chain; `standardContractType` in its canonical case. */
export const evmConditionSchema = v.variant(
  'standardContractType',
  [native, standard('ERC20'), standard('ERC721'), standard('ERC1155'), custom],
  conditionMessage('NOT_ONE_OF_NOR_EMPTY', { names: 'ERC20, ERC721, ERC1155, Custom' }),
)
export type EvmCondition = v.InferOutput<typeof evmConditionSchema>

/** Returns the input and output types of the method of a condition. */
export function evmSignature(condition: EvmCondition): EvmSignature {
  if (condition.standardContractType === 'Custom') {
    return { inputs: condition.inputArrayType, output: condition.outputType }
  }
  if (condition.standardContractType === '') {
    return { inputs: condition.method === 'getBalance' ? ['address'] : [], output: 'uint256' }
  }
  const signature = evmMethods[condition.standardContractType][condition.method]
  if (signature === undefined) throw new RangeError(`${condition.standardContractType} has no ${condition.method}`)
  return signature
}
