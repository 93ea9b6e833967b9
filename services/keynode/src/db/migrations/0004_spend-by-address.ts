import type { Migration } from '@cairn/service'

/**
 * A text is spent by the address that signed it: the requester of a nonce chooses its id, so with the id alone other
 * callers could spend it. Texts spent before stay spent.
 */
export const spendByAddress: Migration = {
  name: '0004_spend-by-address',
  change: 'contract',
  statements: () => [
    `update spent_challenge set id = address || ' ' || id`,
    // They remain valid for at most another minute; their texts are also spent.
    'delete from bearer_use',
  ],
}
