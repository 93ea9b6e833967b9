import { CairnError, type ErrorCode } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { findNextStep } from './next-step.ts'

const afterUpload = (code: ErrorCode) => findNextStep({ kind: 'upload', stage: 'failed', error: new CairnError(code) })

test('offers a rename for a rejected name, and no retry for an error that always repeats', () => {
  expect(afterUpload('INVALID_PATH')).toBe('rename')
  expect(afterUpload('PAYLOAD_TOO_LARGE')).toBeUndefined()
  expect(afterUpload('DUPLICATE_NAME')).toBeUndefined()
})

test('retries an error that may not repeat', () => {
  expect(afterUpload('NETWORK_ERROR')).toBe('retry')
  expect(afterUpload('QUOTA_EXCEEDED')).toBe('retry')
  expect(afterUpload('FILE_UNREADABLE')).toBe('retry')
  expect(findNextStep({ kind: 'upload', stage: 'cancelled', error: undefined })).toBe('retry')
})

test('unfinished work has no next step', () => {
  expect(findNextStep({ kind: 'upload', stage: 'sending', error: undefined })).toBeUndefined()
  expect(findNextStep({ kind: 'upload', stage: 'done', error: undefined })).toBeUndefined()
})
