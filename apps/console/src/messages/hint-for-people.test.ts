import { type ErrorCode, errorTable } from '@cairn/protocol'
import { CairnError, restoreError } from '@cairn/sdk'
import { expect, test } from 'vitest'
import * as german from './de/de.ts'
import { describeError } from './describe-error.ts'
import { hintForPeople, isForPrograms } from './hint-for-people.ts'
import { keepTexts } from './keep-texts.fixture.ts'
import { translate } from './translatable.ts'

const codes = Object.keys(errorTable).filter((code): code is ErrorCode => Object.hasOwn(errorTable, code))
/** For requests that the console does not make. */
const hasNoHint: readonly ErrorCode[] = ['USAGE', 'PIN_NOT_FOUND']

test('shows no hint that names a command, a function, a setting or a field', () => {
  const hints = codes.map((code) => [code, describeError(restoreError(code, errorTable[code])).hint] as const)
  expect(hints.filter(([, hint]) => isForPrograms(hint))).toEqual([])
  expect(hints.filter(([, hint]) => hint === '').map(([code]) => code)).toEqual(hasNoHint)
  const own = Object.entries(german.errors)
  expect(own.filter(([, { hint }]) => isForPrograms(hint)).map(([code]) => code)).toEqual([])
})

test('keeps the sentences of an error’s own hint that users of the page can follow', () => {
  expect(hintForPeople('Try again later. `cairn deals` shows the progress.')).toBe('Try again later.')
  expect(hintForPeople('Run `cairn drive ls` to list a folder.')).toBe('')
  expect(hintForPeople('Use uploadFolder.')).toBe('')
  expect(hintForPeople('The operator sets the accepted hosts in CAIRN_KEYNODE_DOMAINS.')).toBe('')
  expect(hintForPeople('Use an Ed25519 key in the format of `ipfs key export`.')).toContain('ipfs key export')
  expect(hintForPeople('Move fileOne.txt. Then try again.')).toBe('Move fileOne.txt. Then try again.')
})

test('replaces a hint that users of the page cannot follow with that of its code, in their language', () => {
  const hint = 'Repair the key with `repairKey` or `cairn keys repair`, then try again.'
  const split = new CairnError('SHARDS_INCONSISTENT', { hint })
  expect(describeError(split).hint).toBe('Try again. Access shows the state of each key node.')
  keepTexts()
  translate({ errors: german.errors })
  expect(describeError(split).hint).toBe(german.errors.SHARDS_INCONSISTENT?.hint)
  expect(describeError(new CairnError('NO_API_KEY')).hint).toBe('Anmelden und noch einmal versuchen.')
})
