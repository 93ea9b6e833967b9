import { CairnError, type ErrorCode } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { findNextStep } from './next-step.ts'

const afterUpload = (code: ErrorCode) => findNextStep({ kind: 'upload', stage: 'failed', error: new CairnError(code) })

test('a refused name is changed, and what is refused each time is not tried again', () => {
  expect(afterUpload('INVALID_PATH')).toBe('rename')
  expect(afterUpload('PAYLOAD_TOO_LARGE')).toBeUndefined()
  expect(afterUpload('DUPLICATE_NAME')).toBeUndefined()
})

test('what may succeed later is tried again', () => {
  expect(afterUpload('NETWORK_ERROR')).toBe('retry')
  expect(afterUpload('QUOTA_EXCEEDED')).toBe('retry')
  expect(afterUpload('FILE_UNREADABLE')).toBe('retry')
  expect(findNextStep({ kind: 'upload', stage: 'canceled', error: undefined })).toBe('retry')
})

test('work that is not over has no next step', () => {
  expect(findNextStep({ kind: 'upload', stage: 'sending', error: undefined })).toBeUndefined()
  expect(findNextStep({ kind: 'upload', stage: 'done', error: undefined })).toBeUndefined()
})
