import type { ColumnTypes } from '../database/migration.ts'

/** The database itself refuses to change the log: a tool with a defect cannot, and a person has to mean it. */
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

/** Returns the statements of a migration that create the log of actions. They never change. */
export function createAuditTable({ kind, integer, text, strict }: ColumnTypes): string[] {
  return [
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
  ]
}
