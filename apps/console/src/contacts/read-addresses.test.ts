import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isMistyped } from './mistyped.ts'
import { readAddresses, splitLastWord, suggestContacts } from './read-addresses.ts'

/** Of EIP-55. */
const one = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const two = `0x${'12'.repeat(20)}`
const solana = '11111111111111111111111111111112'

test('splits addresses at any separator and lists each once', () => {
  expect(readAddresses(`${one}, ${two};${solana}\n\t${one.toLowerCase()}\n`)).toEqual({
    addresses: [one.toLowerCase(), two, solana],
    bad: [],
  })
  expect(readAddresses('  \n ')).toEqual({ addresses: [], bad: [] })
})

test('lists the words that are not addresses, including the zero address', () => {
  expect(readAddresses(`0x12 ${two} bob.eth 0x${'0'.repeat(40)}`)).toEqual({
    addresses: [two],
    bad: ['0x12', 'bob.eth', `0x${'0'.repeat(40)}`],
  })
})

test('rejects an address with a typo, unless all of its letters have one case', () => {
  const typo = one.replace('5aAe', '5aAf')
  expect(isMistyped(typo)).toBe(true)
  expect(readAddresses(`${typo} ${two}`)).toEqual({ addresses: [two], bad: [typo] })
  // One digit in the wrong case is a typo as well: another digit may be wrong.
  expect(isMistyped(one.replace('5aA', '5AA'))).toBe(true)
  const upper = `0x${one.slice(2).toUpperCase()}`
  for (const right of [one, one.toLowerCase(), upper, two, solana, 'bob.eth']) expect(isMistyped(right)).toBe(false)
  expect(readAddresses(upper).addresses).toEqual([one.toLowerCase()])
})

test('turns every pasted word into an address or a named error', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(one, two, solana), fc.stringMatching(/^[\w.]{1,12}$/))), (parts) => {
      const { addresses, bad } = readAddresses(parts.join(' '))
      expect(new Set(parts.map((part) => part.toLowerCase()))).toEqual(
        new Set([...addresses, ...bad].map((part) => part.toLowerCase())),
      )
    }),
  )
})

const contacts = [
  { address: two, label: 'Ida' },
  { address: solana, label: 'Ada King' },
  { address: one.toLowerCase(), label: '' },
]

test('replaces contact labels with their addresses, including labels of several words', () => {
  expect(readAddresses('ida, ADA KING', contacts)).toEqual({ addresses: [two, solana], bad: [] })
  expect(readAddresses(`ada king\nida ${one}`, contacts).addresses).toEqual([solana, two, one.toLowerCase()])
  expect(readAddresses('ada', contacts)).toEqual({ addresses: [], bad: ['ada'] })
  expect(
    readAddresses(
      'twin',
      [one, two].map((address) => ({ address, label: 'twin' })),
    ).bad,
  ).toEqual(['twin'])
})

test('suggests contacts by the start of an address or a part of a label', () => {
  expect(splitLastWord('ida, ad')).toEqual({ before: 'ida,', word: 'ad' })
  expect(suggestContacts(contacts, 'KING', []).map(({ address }) => address)).toEqual([solana])
  expect(suggestContacts(contacts, '0x1', []).map(({ address }) => address)).toEqual([two])
  expect(suggestContacts(contacts, '', [two])).toHaveLength(2)
})
