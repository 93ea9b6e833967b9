import type { Migration } from '@cairn/service'

/** Texts used for signing in, kept while they could be presented again. */
export const createSpentSignIns: Migration = {
  name: '0007_create-spent-sign-ins',
  change: 'expand',
  statements: ({ integer, text, clustered }) => [
    `create table spent_sign_in (
      address ${text} not null,
      id ${text} not null,
      kept_until ${integer} not null,
      primary key (address, id)
    )${clustered}`,
    'create index spent_sign_in_kept on spent_sign_in (kept_until)',
  ],
}
