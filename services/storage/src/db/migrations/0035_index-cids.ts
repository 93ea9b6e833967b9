import type { Migration } from '@cairn/service'

/**
 * Indexes the CIDs of each account for searches by their start. On SQLite it holds the numbers of the text index, too,
 * so that candidates of both are merged without a look at their rows.
 */
export const indexCids: Migration = {
  name: '0035_index-cids',
  change: 'expand',
  statements: ({ kind }) => [
    `create index upload_own_cid on upload (address, cid${kind === 'sqlite' ? ', search_number' : ''})`,
  ],
}
