import * as v from 'valibot'
import { expect, test } from 'vitest'
import { addressSchema, isPrivateKey, normalizeAddress } from './address.ts'

test('compares an EVM address in lower case', () => {
  expect(normalizeAddress('0XF39fd6e51aad88F6F4ce6aB8827279cffFb92266')).toBe('')
  expect(normalizeAddress('0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266')).toBe(
    '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  )
})

test('keeps a Solana address unchanged, also with 43 characters', () => {
  for (const address of [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4',
    '11111111111111111111111111111111',
  ]) {
    expect(normalizeAddress(address)).toBe(address)
  }
})

test.each(['', '0x', '0x12', `0x${'g'.repeat(40)}`, 'O'.repeat(44), 'a'.repeat(45), 7, null, undefined])(
  '%s is not an address',
  (text) => expect(normalizeAddress(text)).toBe(''),
)

test('the schema uses the sentence of the specification', () => {
  expect(() => v.parse(addressSchema, 'me')).toThrow('Invalid public Key')
})

test('a private key is exactly 64 hex characters', () => {
  expect(isPrivateKey('a'.repeat(64))).toBe(true)
  expect(isPrivateKey(`0x${'A'.repeat(64)}`)).toBe(true)
  for (const wrong of ['a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), `0x0x${'a'.repeat(62)}`, '', undefined]) {
    expect(isPrivateKey(wrong)).toBe(false)
  }
})
