import { CairnError } from '@cairn/sdk'
import { expect, test } from 'vitest'
import * as german from '../messages/de/de.ts'
import { explainError } from '../messages/describe-error.ts'
import { keepTexts } from '../messages/keep-texts.fixture.ts'
import { translate } from '../messages/translatable.ts'
import { requireInside } from '../zip/entry.ts'
import { startFailure, wordFailure, wordWriteFailure } from './word-failure.ts'

function refuse(name: string): unknown {
  try {
    requireInside(name)
  } catch (error) {
    return error
  }
  return undefined
}

test('reports why a ZIP stopped in the language of the page, and only once', () => {
  const failures = [new CairnError('FILE_TOO_LARGE'), CairnError.from(refuse('a/../\u202e.txt'))].map(wordFailure)
  expect(failures.map(({ code }) => code)).toEqual(['FILE_TOO_LARGE', 'INVALID_PATH'])
  expect(failures.map(explainError)).toEqual([
    'There is not enough space. Free space on the disk, or download less at once.',
    'The folder contains a name that is not safe to unpack: “a/../⟨U+202E⟩.txt”. Open the folder and download its files one by one.',
  ])
  keepTexts()
  translate(german)
  const again = [new CairnError('FILE_TOO_LARGE'), CairnError.from(refuse('..'))].map(wordFailure)
  expect(again.map(explainError)).toEqual([
    'Der Speicherplatz reicht nicht. Platz auf dem Gerät schaffen oder weniger auf einmal herunterladen.',
    'Der Ordner enthält einen Namen, der sich nicht sicher entpacken lässt: „..“. Den Ordner öffnen und die Dateien einzeln herunterladen.',
  ])
})

test('reports an error in the content or place of a file without an English sentence in another language', () => {
  const given = () => [
    new CairnError('DECRYPTION_FAILED', { message: 'The key does not match the file' }),
    new CairnError('FILE_UNREADABLE', { message: 'Cannot write the file' }),
  ]
  expect(given().map(wordWriteFailure).map(explainError)).toEqual([
    'The key does not match the file. The key belongs to another file, or the data was modified.',
    'The file cannot be written. Check that its folder still exists and can be changed, or choose another place.',
  ])
  keepTexts()
  translate(german)
  expect(given().map(wordWriteFailure).map(explainError)).toEqual([
    'Die Datei lässt sich nicht entschlüsseln. Der Schlüssel gehört zu einer anderen Datei, oder die Daten wurden verändert.',
    'Die Datei lässt sich nicht schreiben. Prüfen, ob es ihren Ordner noch gibt und ob er sich ändern lässt, oder einen anderen Ort wählen.',
  ])
})

test('a worker whose script did not load is reported as offline, any other failure as a defect', () => {
  const failures = [new Event('error'), Object.assign(new Event('error'), { message: 'x is not defined' })]
  expect(failures.map((event) => startFailure(event).code)).toEqual(['NETWORK_ERROR', 'INTERNAL'])
})

test('other worker failures stay unchanged', () => {
  const tooLarge = new CairnError('FILE_TOO_LARGE', { details: { limitBytes: 5 } })
  const others = [tooLarge, new CairnError('ACCESS_DENIED'), new CairnError('FILE_UNREADABLE')]
  expect(others.map(wordFailure)).toEqual(others)
})
