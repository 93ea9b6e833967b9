import { CairnError } from '@cairn/sdk'
import { expect, test } from 'vitest'
import * as german from '../messages/de/de.ts'
import { explainError } from '../messages/describe-error.ts'
import { keepTexts } from '../messages/keep-texts.fixture.ts'
import { translate } from '../messages/translatable.ts'
import { requireInside } from '../zip/entry.ts'
import { wordFailure } from './word-failure.ts'

function refuse(name: string): unknown {
  try {
    requireInside(name)
  } catch (error) {
    return error
  }
  return undefined
}

test('what stops a ZIP is said in the language of the page, and only once', () => {
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

test('other failures of a worker stay as they are', () => {
  const tooLarge = new CairnError('FILE_TOO_LARGE', { details: { limitBytes: 5 } })
  const denied = new CairnError('ACCESS_DENIED')
  expect([tooLarge, denied].map(wordFailure)).toEqual([tooLarge, denied])
})
