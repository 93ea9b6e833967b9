import type { Migration } from '@cairn/service'

/** The first tables. */
export const createTables: Migration = {
  name: '0001_create-tables',
  change: 'expand',
  statements: ({ integer, bytes, text, strict, clustered }) => [
    `create table account (
      address ${text} primary key,
      created_at ${integer} not null,
      data_limit_bytes ${integer} not null check (data_limit_bytes >= 0),
      data_used_bytes ${integer} not null default 0 check (data_used_bytes >= 0),
      reserved_bytes ${integer} not null default 0 check (reserved_bytes >= 0),
      upload_count ${integer} not null default 0 check (upload_count >= 0)
    )${strict}`,

    `create table challenge (
      nonce ${text} primary key,
      address ${text} not null,
      purpose ${text} not null,
      message ${text} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      used_at ${integer}
    )${strict}`,
    'create index challenge_expires on challenge (expires_at)',

    `create table api_key (
      id ${text} primary key,
      address ${text} not null,
      name ${text} not null,
      secret_hash ${bytes} not null,
      scopes ${text} not null,
      created_at ${integer} not null,
      expires_at ${integer},
      last_used_at ${integer},
      revoked_at ${integer}
    )${strict}`,
    'create index api_key_address on api_key (address, created_at)',

    `create table pack (
      id ${integer} primary key,
      object_key ${text} not null unique,
      size_bytes ${integer} not null,
      block_count ${integer} not null,
      state ${text} not null check (state in ('live', 'removing')),
      created_at ${integer} not null,
      unreferenced_at ${integer},
      scrubbed_at ${integer}
    )${strict}`,
    'create index pack_unreferenced on pack (unreferenced_at) where unreferenced_at is not null',
    'create index pack_scrubbed on pack (scrubbed_at)',

    `create table block (
      multihash ${bytes} not null,
      pack_id ${integer} not null references pack (id),
      offset_bytes ${integer} not null,
      length_bytes ${integer} not null,
      damaged_at ${integer},
      primary key (multihash, pack_id)
    )${clustered}`,
    'create index block_pack on block (pack_id, offset_bytes)',
    'create index block_damaged on block (pack_id) where damaged_at is not null',

    `create table upload (
      id ${text} primary key,
      address ${text} not null,
      cid ${text} not null,
      root_multihash ${bytes} not null,
      name ${text} not null,
      mime_type ${text},
      size_bytes ${integer} not null,
      dag_size_bytes ${integer} not null,
      encryption ${integer} not null check (encryption in (0, 1)),
      storage_type ${text},
      kind ${text} not null check (kind in ('file', 'directory', 'car')),
      status ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      tx_hash ${text} not null default ''
    )${strict}`,
    'create index upload_newest on upload (address, created_at desc, id desc)',
    'create index upload_name on upload (address, name, id)',
    'create index upload_size on upload (address, size_bytes, id)',
    'create index upload_cid on upload (cid)',
    'create index upload_root on upload (root_multihash)',

    `create table upload_pack (
      upload_id ${text} not null references upload (id) on delete cascade,
      pack_id ${integer} not null references pack (id),
      primary key (upload_id, pack_id)
    )${clustered}`,
    'create index upload_pack_pack on upload_pack (pack_id)',

    `create table reservation (
      id ${text} primary key,
      address ${text} not null,
      bytes ${integer} not null check (bytes >= 0),
      process_id ${text} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${strict}`,
    'create index reservation_expires on reservation (expires_at)',
    'create index reservation_process on reservation (process_id)',

    `create table lease (
      name ${text} primary key,
      owner ${text} not null,
      expires_at ${integer} not null,
      fence ${integer} not null
    )${strict}`,
  ],
}
