import { expect, test } from 'vitest'
import { readAddresses } from './read-addresses.ts'

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

test('keeps addresses as written, in one case or with their checksum', () => {
  const solana = '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA'
  const upper = `0x${address.slice(2).toUpperCase()}`
  const written = [address, address.toLowerCase(), upper, solana]
  expect(readAddresses(written)).toEqual(written)
})

test.each([
  ['nope', '"nope" is not an address'],
  [address.replace('7099', '7098'), 'does not match its checksum'],
  [address.replace('dc3A', 'dc3a'), 'does not match its checksum'],
])('rejects %s', (wrong, message) => {
  expect(() => readAddresses([address, wrong])).toThrow(
    expect.objectContaining({ code: 'INVALID_ADDRESS', message: expect.stringContaining(message) }),
  )
})
