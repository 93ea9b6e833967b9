import type { Migration } from '@cairn/service'

/**
 * IPNS names: their newest record, the lists they are on, their history. Sequences have 20 digits, so that they sort.
 */
export const createNames: Migration = {
  name: '0003_create-names',
  change: 'expand',
  statements: ({ integer, text, bytes, strict, clustered }) => [
    `create table ipns_name (
      name ${text} primary key,
      origin ${text} not null check (origin in ('account', 'unlisted', 'foreign')),
      sequence ${text},
      value ${text},
      record ${bytes},
      valid_until ${integer},
      ttl_ms ${integer},
      lifetime_ms ${integer},
      renew_at ${integer},
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${strict}`,
    'create index ipns_name_renew on ipns_name (renew_at) where renew_at is not null',
    "create index ipns_name_unlisted on ipns_name (valid_until) where origin <> 'account'",

    `create table name_entry (
      id ${text} primary key,
      address ${text} not null references account (address),
      name ${text} not null references ipns_name (name),
      label ${text},
      seal ${bytes},
      secret_id ${text},
      created_at ${integer} not null,
      updated_at ${integer} not null,
      unique (address, name)
    )${strict}`,
    'create index name_entry_address on name_entry (address, id desc)',
    'create index name_entry_name on name_entry (name)',
    'create index name_entry_secret on name_entry (secret_id)',

    `create table name_record (
      name ${text} not null references ipns_name (name),
      sequence ${text} not null,
      value ${text} not null,
      record ${bytes} not null,
      valid_until ${integer} not null,
      published_at ${integer} not null,
      primary key (name, sequence)
    )${clustered}`,
  ],
}
