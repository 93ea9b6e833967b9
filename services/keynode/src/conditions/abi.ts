import type { EvmSignature, Parameter } from '@cairn/protocol'
import type { Hex } from 'viem'
import { concat, decodeAbiParameters, encodeAbiParameters, size, toFunctionSelector } from 'viem/utils'
import { elementOf, isInRange, parseValue } from './compare.ts'
import type { Observed, Scalar } from './reader.ts'

/** Maximum length of an array in a reading. */
const maxItems = 32
const wordBytes = 32

/** Converts a parameter for encoding as its type; `undefined` when it does not fit. */
export function parseArgument(value: Parameter, type: string): Observed | undefined {
  const parsed = parseValue(value, type)
  const element = elementOf(type) ?? type
  const items: readonly Scalar[] = parsed === undefined ? [] : isList(parsed) ? parsed : [parsed]
  return items.every((item) => typeof item !== 'bigint' || isInRange(item, element)) ? parsed : undefined
}

function isList(value: Observed): value is readonly Scalar[] {
  return Array.isArray(value)
}

/** Encodes the data of a call, or returns the parameter that does not fit its type (counted from 0). */
export function encodeCall(
  method: string,
  { inputs }: EvmSignature,
  parameters: readonly Parameter[],
): { data: Hex } | { misfit: number } {
  const values: Observed[] = []
  for (const [at, type] of inputs.entries()) {
    const parameter = parameters[at]
    const value = parameter === undefined ? undefined : parseArgument(parameter, type)
    if (value === undefined) return { misfit: at }
    values.push(value)
  }
  const types = inputs.map((type) => ({ type }))
  return { data: concat([toFunctionSelector(`${method}(${inputs.join(',')})`), encodeAbiParameters(types, values)]) }
}

/**
 * Decodes the single output of a call. Only the canonical encoding is accepted: data of another length, dirty padding
 * or values out of range mean that the contract returns another type than the condition declares.
 *
 * @see https://docs.soliditylang.org/en/latest/abi-spec.html
 */
export function decodeOutput(type: string, data: Hex): Observed | undefined {
  const sizeBytes = size(data)
  if (elementOf(type) === undefined ? sizeBytes !== wordBytes : sizeBytes > (2 + maxItems) * wordBytes) return undefined
  const types = [{ type }]
  let decoded: readonly unknown[]
  try {
    decoded = decodeAbiParameters(types, data)
    if (encodeAbiParameters(types, decoded) !== data.toLowerCase()) return undefined
  } catch {
    // The library throws for anything it cannot decode; undefined reports it.
    return undefined
  }
  const [value] = decoded
  if (!Array.isArray(value)) return toScalar(value)
  const items = value.map(toScalar)
  return items.every((item) => item !== undefined) ? items : undefined
}

function toScalar(value: unknown): Scalar | undefined {
  if (typeof value === 'bigint' || typeof value === 'boolean') return value
  if (typeof value === 'number') return BigInt(value)
  return typeof value === 'string' ? value.toLowerCase() : undefined
}
