import * as v from 'valibot'
import { s3Error } from '../s3-error.ts'

/** Sizes that a policy allows, in bytes. */
export type AllowedBytes = { min: number; max: number }

/** Operators are compared without regard to case, as names of fields are. */
const operator = <const Name extends string>(...names: Name[]) => v.pipe(v.string(), v.toLowerCase(), v.picklist(names))
const conditionSchema = v.union([
  v.tuple([operator('content-length-range'), v.union([v.number(), v.string()]), v.union([v.number(), v.string()])]),
  v.tuple([operator('eq', 'starts-with'), v.pipe(v.string(), v.startsWith('$')), v.string()]),
  v.pipe(
    v.record(v.string(), v.string()),
    v.check((fields) => Object.keys(fields).length > 0),
  ),
])
const policySchema = v.object({ expiration: v.string(), conditions: v.array(conditionSchema) })

/** Fields that no condition has to allow. */
const freeFields = new Set(['awsaccesskeyid', 'file', 'policy', 'signature', 'x-amz-signature'])

/**
 * Checks a form against its policy: every condition must be met, and every field, including the bucket, allowed by one.
 * @param fields values by lower-case name, with the bucket
 * @returns the allowed sizes of the file
 * @throws CairnError `AccessDenied`, `InvalidPolicyDocument`
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
 */
export function checkPolicy(encoded: string, fields: ReadonlyMap<string, string>, now: number): AllowedBytes {
  const { expiration, conditions } = readPolicy(encoded)
  const expiresAt = Date.parse(expiration)
  if (Number.isNaN(expiresAt) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(expiration)) {
    throw s3Error('InvalidPolicyDocument', 'Invalid Policy: Invalid expiration.')
  }
  if (expiresAt <= now) throw s3Error('AccessDenied', 'Invalid according to Policy: Policy expired.')
  const allowed: AllowedBytes = { min: 0, max: Number.POSITIVE_INFINITY }
  const named = new Set<string>()
  for (const condition of conditions) {
    if (!Array.isArray(condition)) {
      for (const [name, value] of Object.entries(condition)) requireField(fields, named, 'eq', name, value)
    } else if (condition[0] === 'content-length-range') {
      allowed.min = Math.max(allowed.min, readSize(condition[1]))
      allowed.max = Math.min(allowed.max, readSize(condition[2]))
    } else {
      const [operator, name, value] = condition
      requireField(fields, named, operator, name.slice(1), value)
    }
  }
  const isFree = (name: string) => freeFields.has(name) || /^x-(?:ignore|amz-checksum)-/.test(name)
  const extra = [...fields.keys()].find((name) => !named.has(name) && !isFree(name))
  if (extra !== undefined) throw s3Error('AccessDenied', `Invalid according to Policy: Extra input fields: ${extra}`)
  return allowed
}

function readPolicy(encoded: string): v.InferOutput<typeof policySchema> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
    return v.parse(policySchema, JSON.parse(text))
  } catch (cause) {
    const message = 'Invalid Policy: it must be JSON with an expiration and conditions, in base64.'
    throw s3Error('InvalidPolicyDocument', message, {}, { cause })
  }
}

function readSize(value: number | string): number {
  const size = typeof value === 'number' || /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  if (!(Number.isSafeInteger(size) && size >= 0)) {
    throw s3Error('InvalidPolicyDocument', 'Invalid Policy: content-length-range must have two whole numbers.')
  }
  return size
}

function requireField(
  fields: ReadonlyMap<string, string>,
  named: Set<string>,
  operator: 'eq' | 'starts-with',
  name: string,
  expected: string,
): void {
  const key = name.toLowerCase()
  named.add(key)
  const value = fields.get(key) ?? ''
  if (operator === 'eq' ? value === expected : value.startsWith(expected)) return
  const text = JSON.stringify([operator, `$${name}`, expected])
  throw s3Error('AccessDenied', `Invalid according to Policy: Policy Condition failed: ${text}`)
}
