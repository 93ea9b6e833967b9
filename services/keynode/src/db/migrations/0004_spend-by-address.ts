import type { Migration } from '@cairn/service'

/**
 * A text is spent by the address that signed it: its id is whoever's asked for a nonce, so that by the id alone anybody could
 * spend another's. What was spent before stays spent.
 */
export const spendByAddress: Migration = {
  name: '0004_spend-by-address',
  statements: () => [
    `update spent_challenge set id = address || ' ' || id`,
    // By then they were good for a minute more; their texts are spent besides.
    'delete from bearer_use',
  ],
}
