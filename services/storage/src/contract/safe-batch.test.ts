import { expect, test } from 'vitest'
import { checksumOf } from './safe-batch.ts'

/** The batch and the checksum of Safe's own test: apps/tx-builder/src/lib/checksum.test.ts of safe-wallet-monorepo. */
const owner = '0x49d4450977E2c95362C13D3a31a09311E0Ea26A6'
const batch = {
  version: '1.0',
  chainId: '4',
  createdAt: 1646321521061,
  meta: {
    name: 'test batch file',
    txBuilderVersion: '1.4.0',
    checksum: '',
    createdFromSafeAddress: '0xDF8a1Ce35c9a6ACE153B4e0767942f1E2291a1Aa',
    createdFromOwnerAddress: owner,
  },
  transactions: [
    {
      to: owner,
      value: '0',
      contractMethod: {
        inputs: [{ internalType: 'address', name: 'paramAddress', type: 'address' }],
        name: 'testAddress',
        payable: false,
      },
      contractInputsValues: { paramAddress: owner },
    },
    {
      to: owner,
      value: '0',
      contractMethod: {
        inputs: [{ internalType: 'bool', name: 'paramBool', type: 'bool' }],
        name: 'testBool',
        payable: false,
      },
      contractInputsValues: { paramAddress: '', paramBool: 'false' },
    },
    {
      to: owner,
      value: '2000000000000000000',
      data: '0x42f4579000000000000000000000000049d4450977e2c95362c13d3a31a09311e0ea26a6',
    },
  ],
}
const expected = '0x86c81826dbf7e8a37612153294cc85fdf5c81998dd0a44b86d945502a7eace7c'

test('the checksum of a batch is the one that the Transaction Builder computes', () => {
  expect(checksumOf(batch)).toBe(expected)
})

test('the order of fields, the name and the checksum itself do not count; the order of transactions does', () => {
  const { meta, ...rest } = batch
  expect(checksumOf({ meta: { ...meta, name: 'another', checksum: expected }, ...rest })).toBe(expected)
  expect(checksumOf({ ...batch, transactions: batch.transactions.toReversed() })).not.toBe(expected)
})
