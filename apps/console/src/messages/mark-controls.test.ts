import { expect, test } from 'vitest'
import { markControls } from './mark-controls.ts'

test('shows characters that change the direction of a name as a visible sign', () => {
  expect(markControls('rtl-\u202Etxt.exe')).toBe('rtl-⟨U+202E⟩txt.exe')
  expect(markControls('\u2067a\u2069\u200F\n\uD800')).toBe('⟨U+2067⟩a⟨U+2069⟩⟨U+200F⟩⟨U+000A⟩⟨U+D800⟩')
})

test('keeps letters of any direction and joined emoji unchanged', () => {
  for (const name of ['تقرير.pdf', 'דוח.txt', '👩‍💻 notes.md', 'naïve 日本.txt']) expect(markControls(name)).toBe(name)
})
