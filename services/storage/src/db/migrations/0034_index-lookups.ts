import type { Migration } from '@cairn/service'

/**
 * Indexes what is looked up by more than one column, so that a lookup costs the same however many rows share the first:
 * uploads of one content, pins and resumable uploads of one account, messages of one webhook, deals in one state.
 */
export const indexLookups: Migration = {
  name: '0034_index-lookups',
  change: 'expand',
  statements: () => [
    'create index upload_content on upload (root_multihash, is_private, id)',
    'create index upload_own_content on upload (address, root_multihash, is_private, id)',
    'drop index upload_root',
    'drop index upload_cid',
    'create index pin_status on pin (address, status, created_at)',
    'create index pin_cid on pin (address, cid_v1, created_at)',
    "create index resumable_upload_open on resumable_upload (address) where state in ('receiving', 'received')",
    "create index webhook_delivery_open on webhook_delivery (webhook_id, sequence) where state = 'pending'",
    'create index deal_state on deal (aggregate_id, state)',
    'drop index deal_aggregate',
  ],
}
