import type { Migration } from '@cairn/service'
import { createAuditTable } from '@cairn/service/admin'

/** Blocked accounts, content that the operator denied, and a log of what operators did. */
export const administer: Migration = {
  name: '0013_administer',
  change: 'expand',
  statements: (types) => [
    `alter table account add column blocked_at ${types.integer}`,
    `alter table account add column block_reason ${types.text}`,

    ...createAuditTable(types),

    // Rules of the operator's own denylist, in the order in which they were added.
    `create table denial (
      rule ${types.text} primary key,
      position ${types.integer} not null,
      reason ${types.text} not null,
      created_at ${types.integer} not null
    )${types.strict}`,
    `alter table store add column denials ${types.integer} not null default 0`,
  ],
}
