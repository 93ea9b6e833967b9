import { expect, test } from 'vitest'
import { recordSections } from '../bench/record-sections.ts'

const page = '# Benchmarks\n\nText.\n\n<!-- measured -->\n\n### one\n\nold\n\n#### part\n\n### two\n\nkept\n'

test('recorded figures replace their own section, new ones come last, and others stay', () => {
  const sections = [
    { name: 'one', text: 'new' },
    { name: 'three', text: 'added' },
  ]
  expect(recordSections(page, sections)).toBe(
    '# Benchmarks\n\nText.\n\n<!-- measured -->\n\n### one\n\nnew\n\n### two\n\nkept\n\n### three\n\nadded\n',
  )
  expect(recordSections(page, [])).toBe(page)
})

test('text that people wrote below a table stays', () => {
  const written = page.replace('old', 'old\n\n| a |\n|---|\n| 1 |\n\nBecause of this.\n\n| b |\n|---|\n| 2 |')
  expect(recordSections(written, [{ name: 'one', text: 'new\n\n| a |\n|---|\n| 3 |' }])).toContain(
    '### one\n\nnew\n\n| a |\n|---|\n| 3 |\n\nBecause of this.\n\n| b |\n|---|\n| 2 |\n\n#### part\n\n### two',
  )
})
