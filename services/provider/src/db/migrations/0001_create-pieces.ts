import type { Migration } from '@cairn/service'

/** The first tables. */
export const createPieces: Migration = {
  name: '0001_create-pieces',
  change: 'expand',
  statements: ({ integer, bytes, text, strict }) => [
    `create table provider (id ${integer} primary key check (id = 1), public_key ${text} not null)${strict}`,

    `create table piece (
      cid ${text} primary key,
      state ${text} not null check (state in ('queued', 'pulling', 'kept', 'failed', 'damaged')),
      payload_bytes ${integer} not null,
      url ${text} not null,
      authorization ${bytes},
      offered_at ${integer} not null,
      tries ${integer} not null,
      next_try_at ${integer} not null,
      kept_since ${integer},
      error_code ${text},
      error_message ${text},
      last_read_at ${integer},
      checked_at ${integer}
    )${strict}`,
    "create index piece_due on piece (next_try_at) where state = 'queued'",
    'create index piece_state on piece (state, cid)',
    'create index piece_used on piece (state, payload_bytes)',
    "create index piece_checked on piece (checked_at) where state = 'kept'",
  ],
}
