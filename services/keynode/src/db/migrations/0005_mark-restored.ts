import type { Migration } from '@cairn/service'
import { createAuditTable } from '@cairn/service/admin'

/**
 * Marks records that were restored from a backup: such a record may return rights that were revoked since, so it answers nothing
 * until its peers or its owner confirm it. Adds the log of the operators' actions.
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
