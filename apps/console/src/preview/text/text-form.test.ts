import { expect, test } from 'vitest'
import { chooseTextForm } from './text-form.ts'

test('chooses by the extension, then by the type, and shows other text unchanged', () => {
  expect(chooseTextForm('README.md', 'text/plain')).toEqual({ kind: 'markdown' })
  expect(chooseTextForm('a.CSV', null)).toEqual({ kind: 'table', separator: ',' })
  expect(chooseTextForm('a.tsv', 'text/csv')).toEqual({ kind: 'table', separator: '\t' })
  expect(chooseTextForm('main.rs', null)).toEqual({ kind: 'code', language: 'rust' })
  expect(chooseTextForm('page', 'text/html; charset=utf-8')).toEqual({ kind: 'code', language: 'xml' })
  expect(chooseTextForm('notes.txt', 'text/plain')).toEqual({ kind: 'plain' })
  expect(chooseTextForm('constructor', 'constructor')).toEqual({ kind: 'plain' })
})
