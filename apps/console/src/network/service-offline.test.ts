import { CairnError } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { isBareOutage } from './service-offline.ts'

test.each([
  ['a call without an answer', new CairnError('NETWORK_ERROR'), true],
  ['a timeout', new CairnError('TIMEOUT'), true],
  ['an error with its own message', new CairnError('NETWORK_ERROR', { message: 'The price feed is offline' }), false],
  ['an error with its own next step', new CairnError('NETWORK_ERROR', { hint: 'Rotate again.' }), false],
  ['another error', new CairnError('NOT_FOUND'), false],
])('%s', (_what, error, isEnough) => {
  expect(isBareOutage(error)).toBe(isEnough)
})
