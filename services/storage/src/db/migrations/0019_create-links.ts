import type { Migration } from '@cairn/service'

/** Links to encrypted files for people without wallets. */
export const createLinks: Migration = {
  name: '0019_create-links',
  change: 'expand',
  statements: ({ integer, text, bytes, strict }) => [
    `create table link (
      id ${text} primary key,
      address ${text} not null references account (address),
      cid ${text} not null,
      label ${text} not null,
      sealed ${text},
      token_hash ${bytes} not null,
      password_hash ${bytes},
      max_opens ${integer} not null,
      opens ${integer} not null check (opens <= max_opens),
      failures ${integer} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      last_opened_at ${integer},
      revoked_at ${integer}
    )${strict}`,
    'create index link_address on link (address, created_at)',
    'create index link_expires on link (expires_at)',
  ],
}
