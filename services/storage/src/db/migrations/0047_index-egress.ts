import type { Migration } from '@cairn/service'

/** Indexes sent bytes by root, so that those of an account are found without the rows of all others. */
export const indexEgress: Migration = {
  name: '0047_index-egress',
  change: 'expand',
  statements: () => ['create index egress_root on egress (root_multihash, day)'],
}
