import { conditionRule, invalidConditionField, parseConditions } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as german from './de/de.ts'
import { describeError, explainError } from './describe-error.ts'
import { keepTexts } from './keep-texts.fixture.ts'
import { translate } from './translatable.ts'

const full = new CairnError('QUOTA_EXCEEDED')
const tooLarge = new CairnError('PAYLOAD_TOO_LARGE', { message: 'Upload is 12 GiB, the limit is 10 GiB' })
const ofAnOperator = new CairnError('BACKUP_DAMAGED')

test('in English, shows an error as received, without its machine-readable parts', () => {
  expect(full.hint).toBe('Buy storage or delete files. details contains the number of missing bytes.')
  expect(describeError(full)).toEqual({ message: full.message, hint: 'Buy storage or delete files.' })
  expect(explainError(tooLarge)).toBe(`Upload is 12 GiB, the limit is 10 GiB. Send less data at once.`)
})

test('says how far the clock of the device is off when a signature is rejected for its time, also when it is shown later', () => {
  vi.useFakeTimers({ now: 10 * 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  const minutes = (count: number) => ({ details: { time: Date.now() + count * 60_000 } })
  const behind = new CairnError('INVALID_SIGNATURE', minutes(90))
  const text = 'The clock of this device is 1 h 30 min behind that of the service'
  const shown = () => describeError(behind).message.replaceAll('\u00a0', ' ')
  expect(shown()).toBe(text)
  expect(describeError(behind).hint).toContain('Set the clock of this device')
  vi.setSystemTime(Date.now() + 3_600_000)
  expect(shown()).toBe(text)
  const ahead = new CairnError('CHALLENGE_EXPIRED', minutes(-5))
  expect(describeError(ahead).message.replaceAll('\u00a0', ' ')).toContain('5 min ahead of that')
  const unsaved = new CairnError('KEY_SAVE_FAILED', { cause: new CairnError('INVALID_SIGNATURE', minutes(5)) })
  expect(describeError(unsaved).message).toContain('behind')
  expect(describeError(new CairnError('CHALLENGE_EXPIRED', minutes(0))).message).not.toContain('clock')
})

test('in another language, words an error by its reason code, with the condition and the field', () => {
  keepTexts()
  translate({ conditionPlaces: german.conditionPlaces, errors: german.errors, reasons: german.reasons })
  const said = (error: CairnError) => describeError(error).message
  const missing = conditionRule('CONTRACT_MISSING', { chain: 'Optimism' })
  expect(said(invalidConditionField({ id: 2 }, 'contractAddress', missing))).toBe(
    'Ungültige Bedingung: Bedingung 2, contractAddress: An dieser Adresse gibt es auf Optimism keinen Contract',
  )
  const refusal = (input: Parameters<typeof parseConditions>[0]) => {
    try {
      parseConditions(input)
    } catch (error) {
      return said(CairnError.from(error))
    }
    return ''
  }
  expect(refusal({ conditions: [{ id: 'x', standardContractType: '' }] })).toBe(
    'Ungültige Bedingung: Bedingung an Stelle 1, id: Eine Zahl eingeben',
  )
  expect(refusal({ conditions: [] })).toBe('Ungültige Bedingung: conditions: Mindestzahl der Bedingungen: 1')
  const { reason, reasonFacts } = { ...missing, reasonFacts: { code: 'OF_TOMORROW' } }
  expect(said(new CairnError('INVALID_CONDITION', { message: 'Broken', details: { reason, reasonFacts } }))).toBe(
    'Ungültige Bedingung (Broken)',
  )
})

test('in another language, shows the standard texts of the code, and keeps what an error adds to them', () => {
  keepTexts()
  translate({ errors: german.errors })
  expect(explainError(full)).toBe('Nicht genug Speicherplatz. Speicherplatz kaufen oder Dateien löschen.')
  expect(explainError(tooLarge)).toBe(
    'Die Anfrage ist größer als erlaubt (Upload is 12 GiB, the limit is 10 GiB). Weniger Daten auf einmal senden.',
  )
  // The code has several causes, and the standard text names only one.
  const limit = 'This account has reached its limit of 100 links'
  expect(describeError(new CairnError('FORBIDDEN', { message: limit })).message).toBe(
    `Das ist nicht erlaubt (${limit})`,
  )
  expect(describeError(new CairnError('FORBIDDEN')).message).toBe(german.errors.FORBIDDEN?.message)
  expect(describeError(new CairnError('INTERNAL', { hint: 'Restart it.' }))).toEqual({
    message: german.errors.INTERNAL?.message,
    hint: 'Restart it.',
  })
  expect(describeError(ofAnOperator)).toEqual({ message: ofAnOperator.message, hint: ofAnOperator.hint })
  expect(describeError(new Error('odd')).message).toBe(german.errors.INTERNAL?.message)
})
