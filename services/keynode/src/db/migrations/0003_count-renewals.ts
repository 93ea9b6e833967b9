import type { Migration } from '@cairn/service'

/**
 * Numbers refresh tokens, and adds a final expiry and the save purpose to sessions. Earlier sessions end: their
 * tokens have no number, and they last at most a week.
 */
export const countRenewals: Migration = {
  name: '0003_count-renewals',
  change: 'contract',
  statements: ({ integer, text, strict }) => [
    'drop table session',
    `create table session (
      id ${text} primary key,
      address ${text} not null,
      challenge_id ${text} not null,
      session_key ${text},
      purpose ${text} check (purpose in ('save')),
      turn ${integer} not null,
      rotated_at ${integer} not null,
      ends_at ${integer} not null,
      expires_at ${integer} not null,
      ended_at ${integer}
    )${strict}`,
    'create index session_expires on session (expires_at)',
  ],
}
