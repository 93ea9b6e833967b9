import { conditionReason, proofReason } from '@cairn/protocol'
import { expect, test } from 'vitest'
import * as german from './de/de.ts'
import { describeReason } from './describe-reason.ts'
import { keepTexts } from './keep-texts.fixture.ts'
import { translate } from './translatable.ts'

const { reason, reasonFacts } = proofReason('ALL_BLOCKS_PRESENT', { blocks: 1200, bytes: 4096 })
const say = ({ code, values }: { code: string; values?: Record<string, string | number> }) =>
  describeReason('As it came', { code, values })

test('in English, shows a reason as received', () => {
  expect(describeReason(reason, reasonFacts)).toBe(
    'All 1200 blocks of the content are in 4096 bytes that the providers returned',
  )
})

test('in another language, shows the sentence of the reason code with its values, or the text of the error code', () => {
  keepTexts()
  translate({ errors: german.errors, reasons: german.reasons })
  expect(describeReason(reason, reasonFacts)).toMatch(/^Alle 1.200 Blöcke des Inhalts sind in den 4.KiB, die Anbieter/)
  const { reasonFacts: facts } = conditionReason('CHAIN_ERROR', { error: '-32000' })
  expect(describeReason('', facts)).toBe('Die Chain meldet den Fehler -32000')
  expect(say({ code: 'PIECE_DAMAGED' })).toBe(german.errors.PIECE_DAMAGED?.message)
})

test('shows a reason from a service of another version as received', () => {
  keepTexts()
  translate({ errors: german.errors, reasons: german.reasons })
  expect(describeReason('As it came', undefined)).toBe('As it came')
  for (const code of ['OF_TOMORROW', 'toString', 'BACKUP_DAMAGED']) expect(say({ code })).toBe('As it came')
  expect(say({ code: 'CHAIN_ERROR' })).toBe('As it came')
  expect(say({ code: 'CHAIN_ERROR', values: { status: '500' } })).toBe('As it came')
})
