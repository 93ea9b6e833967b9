import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAddresses } from './parse-addresses.ts'

const one = `0x${'Ab'.repeat(20)}`
const two = `0x${'12'.repeat(20)}`
const solana = '11111111111111111111111111111112'

test('splits addresses at any separator and lists each once', () => {
  expect(parseAddresses(`${one}, ${two};${solana}\n\t${one.toLowerCase()}\n`)).toEqual({
    addresses: [one.toLowerCase(), two, solana],
    bad: [],
  })
  expect(parseAddresses('  \n ')).toEqual({ addresses: [], bad: [] })
})

test('names the words that are not addresses, the zero address included', () => {
  expect(parseAddresses(`0x12 ${two} bob.eth 0x${'0'.repeat(40)}`)).toEqual({
    addresses: [two],
    bad: ['0x12', 'bob.eth', `0x${'0'.repeat(40)}`],
  })
})

test('turns every pasted word into an address or a named error', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(one, two, solana), fc.stringMatching(/^[\w.]{1,12}$/))), (parts) => {
      const { addresses, bad } = parseAddresses(parts.join(' '))
      expect(new Set(parts.map((part) => part.toLowerCase()))).toEqual(
        new Set([...addresses, ...bad].map((part) => part.toLowerCase())),
      )
    }),
  )
})
