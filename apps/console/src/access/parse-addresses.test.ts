import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAddresses } from './parse-addresses.ts'

const one = `0x${'Ab'.repeat(20)}`
const two = `0x${'12'.repeat(20)}`
const solana = '11111111111111111111111111111112'

test('any number of addresses, however they are separated, each once', () => {
  expect(parseAddresses(`${one}, ${two};${solana}\n\t${one.toLowerCase()}\n`)).toEqual({
    addresses: [one.toLowerCase(), two, solana],
    bad: [],
  })
  expect(parseAddresses('  \n ')).toEqual({ addresses: [], bad: [] })
})

test('what is no address is named, the zero address too', () => {
  expect(parseAddresses(`0x12 ${two} bob.eth 0x${'0'.repeat(40)}`)).toEqual({
    addresses: [two],
    bad: ['0x12', 'bob.eth', `0x${'0'.repeat(40)}`],
  })
})

test('nothing pasted is lost: every word is an address or is named', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(one, two, solana), fc.stringMatching(/^[\w.]{1,12}$/))), (parts) => {
      const { addresses, bad } = parseAddresses(parts.join(' '))
      expect(new Set(parts.map((part) => part.toLowerCase()))).toEqual(
        new Set([...addresses, ...bad].map((part) => part.toLowerCase())),
      )
    }),
  )
})
