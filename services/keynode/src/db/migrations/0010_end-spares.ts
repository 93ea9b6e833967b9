import type { Migration } from '@cairn/service'

/** Removes the spare sets that an owner saved before a transfer: earlier versions kept them. */
export const endSpares: Migration = {
  name: '0010_end-spares',
  change: 'expand',
  statements: () => [
    `delete from spare where exists (
      select 1 from change
      where change.cid = spare.cid and change.at >= spare.saved_at
        and change.kind in ('transfer', 'repair') and change.arguments like '%"to":%'
    )`,
  ],
}
