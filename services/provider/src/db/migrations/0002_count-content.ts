import type { Migration } from '@cairn/service'

/**
 * Which bytes of a piece are more than padding zeros. Earlier pieces were fetched completely, and count as content.
 */
export const countContent: Migration = {
  name: '0002_count-content',
  change: 'contract',
  statements: ({ integer, text }) => [
    `alter table piece add column content ${text}`,
    `alter table piece add column content_bytes ${integer} not null default 0`,
    'update piece set content_bytes = payload_bytes',
    'drop index piece_used',
    'create index piece_used on piece (state, content_bytes)',
  ],
}
