import { expect, test } from 'vitest'
import { CairnError } from './error.ts'
import { kindOfFact } from './error-details.ts'
import { errorTable } from './errors.ts'

test('recognises an error of another copy of the package by name and code', () => {
  const foreign = Object.assign(new Error('x'), { name: 'CairnError', code: 'QUOTA_EXCEEDED' })
  expect(CairnError.is(foreign)).toBe(true)
  expect(CairnError.is(foreign, 'QUOTA_EXCEEDED')).toBe(true)
  expect(CairnError.is(foreign, 'NOT_FOUND')).toBe(false)
  expect(CairnError.is(new Error('x'))).toBe(false)
  expect(CairnError.is({ name: 'CairnError', code: 'NOT_FOUND' })).toBe(false)
})

test('an unknown error becomes INTERNAL and keeps its cause for operators only', () => {
  const cause = new TypeError('secret')
  const error = CairnError.from(cause)
  expect(error.code).toBe('INTERNAL')
  expect(error.cause).toBe(cause)
  expect(JSON.stringify(error)).not.toContain('secret')
  expect(CairnError.from(error)).toBe(error)
})

test('every row has a sentence, a hint and a valid status', () => {
  for (const [code, row] of Object.entries(errorTable)) {
    expect(code).toMatch(/^[A-Z][A-Z_]+$/)
    expect(row.message.length, code).toBeGreaterThan(5)
    expect(row.hint.length, code).toBeGreaterThan(5)
    expect(row.status === 0 || (row.status >= 400 && row.status < 600), code).toBe(true)
  }
})

test('keeps the sentences of the specification letter by letter', () => {
  expect(errorTable.INVALID_CID.message).toBe('Invalid CID')
  expect(errorTable.INVALID_ADDRESS.message).toBe('Invalid public Key')
  expect(errorTable.INVALID_SIGNATURE.message).toBe('Invalid Signature')
  expect(errorTable.NETWORK_ERROR.message).toBe('Network error')
  expect(errorTable.TIMEOUT.message).toBe('Request timed out')
  expect(errorTable.UNSUPPORTED_BODY.message).toBe('Unsupported body type')
  expect(errorTable.NO_JSON_ARRAY.message).toBe('No JSON array found in response')
  expect(errorTable.PRIVATE_KEY_MISSING.message).toBe('Private key not provided!!!')
  expect(errorTable.UNAUTHENTICATED.message).toBe('Authentication failed')
})

test('the facts of an error are typed by its code', () => {
  const full = new CairnError('QUOTA_EXCEEDED', { details: { missingBytes: 5 } })
  const missing: number | undefined = full.details.missingBytes
  expect(missing).toBe(5)
  // @ts-expect-error: this code has no such fact
  new CairnError('QUOTA_EXCEEDED', { details: { limit: 5 } })
  // @ts-expect-error: this fact is a number
  new CairnError('QUOTA_EXCEEDED', { details: { missingBytes: '5' } })
  expect(kindOfFact('missingBytes')).toBe('number')
  expect(kindOfFact('pay')).toBe('list of facts')
  expect(kindOfFact('cid')).toBe('text')
})
