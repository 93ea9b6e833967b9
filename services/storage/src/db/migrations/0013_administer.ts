import type { Migration } from '@cairn/service'

/** The database itself refuses to change the log: a tool with a fault cannot, and a person has to mean it. */
const keepEntries = {
  sqlite: ['update', 'delete'].map(
    (change) => `create trigger audit_entry_${change} before ${change} on audit_entry begin
      select raise(abort, 'the audit log is append-only');
    end`,
  ),
  postgres: [
    `create function keep_audit_entry() returns trigger language plpgsql as $$
      begin raise exception 'the audit log is append-only'; end $$`,
    'create trigger audit_entry_kept before update or delete or truncate on audit_entry execute function keep_audit_entry()',
  ],
}

/** Blocked accounts, content that the operator denied, and a log of what operators did. */
export const administer: Migration = {
  name: '0013_administer',
  statements: ({ kind, integer, text, strict }) => [
    `alter table account add column blocked_at ${integer}`,
    `alter table account add column block_reason ${text}`,

    `create table audit_entry (
      id ${text} primary key,
      created_at ${integer} not null,
      actor ${text} not null,
      action ${text} not null,
      subject ${text} not null,
      reason ${text},
      before ${text},
      after ${text}
    )${strict}`,

    ...keepEntries[kind],

    // Rules of the operator's own denylist, in the order in which they were added.
    `create table denial (
      rule ${text} primary key,
      position ${integer} not null,
      reason ${text} not null,
      created_at ${integer} not null
    )${strict}`,
    `alter table store add column denials ${integer} not null default 0`,
  ],
}
