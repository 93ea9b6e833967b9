import { expect, test } from 'vitest'
import * as german from '../messages/de/de.ts'
import { keepTexts } from '../messages/keep-texts.fixture.ts'
import { translate } from '../messages/translatable.ts'
import { describeEventReason } from './event-reason.ts'

const unreachable = {
  webhookId: 'w',
  host: 'hooks.example',
  reason: 'No delivery succeeded since 2026-03-01T08:00:00.000Z. The receiver could not be reached (ECONNREFUSED)',
  reasonCode: 'RECEIVER_NETWORK_ERROR',
  error: 'ECONNREFUSED',
  failingSince: '2026-03-01T08:00:00.000Z',
}
const pin = {
  pinId: 'p',
  cid: 'b',
  reason: 'BLOCK_NOT_FOUND: No origin has the block.',
  reasonCode: 'BLOCK_NOT_FOUND',
}

test('in English, shows a reason as received, with a readable time and without the machine code', () => {
  expect(describeEventReason(unreachable)).toMatch(
    /^No delivery succeeded since [^T]*2026[^T]*:00[^T]*\. The receiver could not be reached \(ECONNREFUSED\)\.$/,
  )
  expect(describeEventReason(pin)).toBe('No origin has the block.')
  expect(describeEventReason({ ...pin, reasonCode: 'PIN_WITHOUT_SOURCE' })).toBe('No origin has the block.')
})

test('in another language, shows the sentence for the code of the reason, with its values and times', () => {
  keepTexts()
  translate({ activity: german.activity, errors: german.errors, reasons: german.reasons })
  expect(describeEventReason(unreachable)).toMatch(
    /^Seit .*2026.* war keine Zustellung erfolgreich\. Der Empfänger ist nicht erreichbar \(ECONNREFUSED\)\.$/,
  )
  expect(describeEventReason({ host: 'h', reason: 'x', reasonCode: 'RECEIVER_GONE', status: 410 })).toBe(
    'Der Empfänger hat mit Status 410 geantwortet: Die Adresse gibt es nicht mehr.',
  )
  expect(describeEventReason({ ...pin, reasonCode: 'PIN_SOURCE_FAILED', host: 'ipfs.example' })).toBe(
    'Das Gateway ipfs.example hat diesen Inhalt nicht geliefert.',
  )
  expect(describeEventReason({ ...pin, reasonCode: 'PIN_SOURCES_FAILED', sources: 2 })).toBe(
    'Keine von 2 Quellen hat diesen Inhalt geliefert.',
  )
  expect(describeEventReason(pin)).toBe(`${german.errors.BLOCK_NOT_FOUND?.message}.`)
})

test('shows an event as received if the service sends no codes or is newer', () => {
  keepTexts()
  translate({ activity: german.activity, errors: german.errors, reasons: german.reasons })
  const { reasonCode: _code, ...older } = pin
  expect(describeEventReason(older)).toBe(older.reason)
  expect(describeEventReason({ ...unreachable, reasonCode: 'OF_TOMORROW' })).toMatch(
    /^No delivery .*\(ECONNREFUSED\)\.$/,
  )
  expect(describeEventReason({ pinId: 'p', reason: null })).toBe('')
})
