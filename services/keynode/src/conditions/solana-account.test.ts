import fc from 'fast-check'
import { base58btc } from 'multiformats/bases/base58'
import { expect, test } from 'vitest'
import { isFieldType, isTokenAccount, readField, readTokenAmount } from './solana-account.ts'

const data = fc.uint8Array({ maxLength: 200 })

test('fields equal those of a DataView, little-endian', () => {
  fc.assert(
    fc.property(data, fc.nat(220), (bytes, offset) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const fits = (width: number) => offset + width <= bytes.length
      expect(readField(bytes, offset, 'u8')).toBe(fits(1) ? BigInt(view.getUint8(offset)) : undefined)
      expect(readField(bytes, offset, 'u16')).toBe(fits(2) ? BigInt(view.getUint16(offset, true)) : undefined)
      expect(readField(bytes, offset, 'u32')).toBe(fits(4) ? BigInt(view.getUint32(offset, true)) : undefined)
      expect(readField(bytes, offset, 'u64')).toBe(fits(8) ? view.getBigUint64(offset, true) : undefined)
      expect(readField(bytes, offset, 'i64')).toBe(fits(8) ? view.getBigInt64(offset, true) : undefined)
      const high = () => view.getBigUint64(offset + 8, true) << 64n
      expect(readField(bytes, offset, 'u128')).toBe(fits(16) ? high() + view.getBigUint64(offset, true) : undefined)
      const flag = fits(1) ? view.getUint8(offset) : undefined
      expect(readField(bytes, offset, 'bool')).toBe(flag === 0 ? false : flag === 1 ? true : undefined)
    }),
  )
})

test('encodes keys in base58 like other libraries', () => {
  const keys = fc
    .tuple(fc.nat(32), fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map(([zeros, key]) => key.fill(0, 0, zeros))
  fc.assert(
    fc.property(keys, (key) => {
      expect(readField(key, 0, 'pubkey')).toBe(base58btc.baseEncode(key))
    }),
  )
})

test('reads amounts only from initialised accounts of the exact length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 165, maxLength: 400 }), fc.bigInt(0n, 2n ** 64n - 1n), (account, amount) => {
      new DataView(account.buffer, account.byteOffset).setBigUint64(64, amount, true)
      account[108] = 1
      expect(readTokenAmount(account)).toBe(amount)
      const [mint, owner] = [
        base58btc.baseEncode(account.subarray(0, 32)),
        base58btc.baseEncode(account.subarray(32, 64)),
      ]
      expect(isTokenAccount(account, mint, owner)).toBe(true)
      expect(isTokenAccount(account, mint, `${owner}1`)).toBe(false)
      expect(isTokenAccount(account.subarray(0, 164), mint, owner)).toBe(false)
      expect(readTokenAmount(account.subarray(0, 164))).toBeUndefined()
      account[108] = 0
      expect(readTokenAmount(account)).toBeUndefined()
    }),
  )
})

test('rejects every other name as a field, including those that every object has', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__', 'u256', 'U8')), (type) => {
      fc.pre(!['u8', 'u16', 'u32', 'u64', 'u128', 'i64', 'bool', 'pubkey'].includes(type))
      expect(isFieldType(type)).toBe(false)
    }),
  )
})
