import type { Migration } from '@cairn/service'
import { createAuditTable } from '@cairn/service/admin'

/**
 * Marks what was restored from a backup: a restored record may return rights that were revoked since, so it answers
 * nothing until its peers or its owner confirm it. Adds the log of what operators did.
 */
export const markRestored: Migration = {
  name: '0005_mark-restored',
  change: 'expand',
  statements: (types) => [
    `alter table key add column restored_at ${types.integer}`,
    'create index key_restored on key (cid) where restored_at is not null',
    `alter table node add column restored_at ${types.integer}`,
    ...createAuditTable(types),
  ],
}
