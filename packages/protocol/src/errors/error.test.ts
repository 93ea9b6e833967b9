import { expect, test } from 'vitest'
import { CairnError, type CreatedErrors } from './error.ts'
import { listFacts } from './error-details.ts'
import { type ErrorCode, errorTable } from './error-table.ts'
import { restoreError } from './restore-error.ts'

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
  expect(listFacts('TOO_MANY_PARTS')).toEqual([
    { name: 'limit', mark: '#', isRequired: false },
    { name: 'minBytes', mark: '#', isRequired: false },
    { name: 'limitBytes', mark: '#', isRequired: false },
  ])
  expect(listFacts('CID_MISMATCH')).toEqual([
    { name: 'computed', mark: '', isRequired: true },
    { name: 'answered', mark: '[]', isRequired: true },
  ])
  expect(listFacts('INTERNAL')).toEqual([])
})

test('an error that lacks a fact of its code does not compile', () => {
  // @ts-expect-error: no facts
  new CairnError('PAYLOAD_TOO_LARGE')
  // @ts-expect-error: options without facts
  new CairnError('PAYLOAD_TOO_LARGE', { message: 'too large' })
  // @ts-expect-error: one fact of two
  new CairnError('CID_MISMATCH', { details: { computed: 'bafy' } })
  // @ts-expect-error: the facts of a code that is not known
  const ofAny = (code: ErrorCode) => new CairnError(code)
  expect(ofAny('NAME_LIMIT').details).toEqual({})
  const error = new CairnError('PAYLOAD_TOO_LARGE', { details: { limitBytes: 5 } })
  expect(error.details.limitBytes).toBe(5)
})

test('a code whose texts browsers lack is not one that every program may create', () => {
  const ofEveryProgram = 'INVALID_CID' satisfies CreatedErrors['clients']
  // @ts-expect-error: the texts come with the response of a service
  const ofServices = 'PIN_NOT_FOUND' satisfies CreatedErrors['clients']
  expect(new CairnError(ofEveryProgram).message).toBe('Invalid CID')
  expect(new CairnError(ofServices).code).toBe('PIN_NOT_FOUND')
})

test('a restored error keeps the facts of its code', () => {
  const details = { limitBytes: 5, limit: 3, cid: 'bafy', issues: [{ field: 'a', message: 'b' }] }
  const error = restoreError('PAYLOAD_TOO_LARGE', { details, status: 418 })
  expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', status: 418 })
  expect(error.details).toEqual({ limitBytes: 5, issues: details.issues })
})
