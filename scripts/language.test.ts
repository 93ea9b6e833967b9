import { expect, test } from 'vitest'
import { findForbidden, type LanguageException, nameRules, proseRules } from './language.ts'

const rules = [...nameRules, ...proseRules]
const found = (text: string, exceptions: LanguageException[] = []) =>
  findForbidden('a.ts', text, rules, exceptions).map((finding) => finding.found)

// Split, so that the check itself does not find them here.
test.each([
  ['a limit', `const bytes${'Most'} = 1`, `bytes${'Most'}`],
  ['a setting', `CAIRN_BYTES_${'MOST'}`, `_${'MOST'}`],
  ['a name', `run(${'sur'}roundings)`, `${'sur'}roundings`],
  ['a pronoun', `// ${'some'}body reads it`, `${'some'}body`],
  ['a capital', `// ${'No'}body reads it`, `${'No'}body`],
  ['a variable', `  const ${'told'} = new Map()`, `const ${'told'}`],
  ['a property', `  ${'away'}: 'Offline',`, `  ${'away'}: `],
  ['a person', `// as ${'he'} asked`, 'he'],
  ['an expiry', `// the ${'link'} ends`, `${'link'} ends`],
  ['an error', `describe${'Fault'}(error)`, `describe${'Fault'}`],
  ['a spelling', `const is${'Can'}celed = true`, `is${'Can'}celed`],
  ['a substitute', `// a copy ${'in'} place of the file`, `${'in'} place of`],
  ['a phrase', `// the node is ${'away'}`, `is ${'away'}`],
])('finds %s', (_what, text, word) => {
  expect(found(text)).toEqual([word])
})

test.each(['isDefault', 'maxBytes', 'the most recent one', 'almost', 'recommend', 'amendment', 'Somebodyville'])(
  'accepts %s',
  (text) => {
    expect(found(text)).toEqual([])
  },
)

test('an exception covers its line of its file, and no other', () => {
  const exception = { file: 'a.ts', text: "user 'no", reason: 'a user of the system' }
  const line = `spawn(user '${'no'}body')`
  expect(found(line, [exception])).toEqual([])
  expect(found(`// ${'no'}body`, [exception])).toEqual([`${'no'}body`])
  expect(found(line, [{ ...exception, file: 'b.ts' }])).toEqual([`${'no'}body`])
})
