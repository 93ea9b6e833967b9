import type { Migration } from '@cairn/service'

/** The first tables. */
export const createTables: Migration = {
  name: '0001_create-tables',
  change: 'expand',
  statements: ({ integer, bytes, text, strict, clustered }) => [
    `create table node (id ${integer} primary key check (id = 1), name ${text} not null)${strict}`,

    `create table spent_challenge (
      id ${text} primary key,
      address ${text} not null,
      expires_at ${integer} not null
    )${strict}`,
    'create index spent_challenge_expires on spent_challenge (expires_at)',

    `create table seen_proof (id ${text} primary key, expires_at ${integer} not null)${strict}`,
    'create index seen_proof_expires on seen_proof (expires_at)',

    `create table session (
      id ${text} primary key,
      address ${text} not null,
      challenge_id ${text} not null,
      session_key ${text},
      refresh_hash ${bytes} not null,
      previous_hash ${bytes},
      rotated_at ${integer} not null,
      expires_at ${integer} not null,
      ended_at ${integer}
    )${strict}`,
    'create index session_expires on session (expires_at)',

    `create table bearer_use (
      challenge_id ${text} primary key,
      request_hash ${bytes} not null,
      used_at ${integer} not null,
      expires_at ${integer} not null
    )${strict}`,
    'create index bearer_use_expires on bearer_use (expires_at)',

    `create table key (
      cid ${text} primary key,
      cid_as_given ${text} not null,
      owner ${text} not null,
      version ${integer} not null check (version >= 1),
      state ${text} not null check (state in ('provisional', 'held', 'retired')),
      set_id ${text} not null,
      shard_set ${text},
      sealed ${bytes},
      sealed_version ${integer} not null,
      conditions ${text},
      successor ${text},
      digest ${text} not null,
      change_kind ${text} not null,
      change_id ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${strict}`,
    'create index key_owner on key (owner, cid)',
    'create index key_state on key (state, updated_at)',

    `create table shared (
      cid ${text} not null references key (cid) on delete cascade,
      address ${text} not null,
      created_at ${integer} not null,
      primary key (cid, address)
    )${clustered}`,
    'create index shared_address on shared (address, cid)',

    `create table other_set (
      cid ${text} not null references key (cid) on delete cascade,
      set_id ${text} not null,
      kind ${text} not null check (kind in ('pending', 'previous')),
      shard_set ${text},
      sealed ${bytes} not null,
      owner ${text} not null,
      version ${integer} not null,
      saved_at ${integer} not null,
      primary key (cid, set_id)
    )${clustered}`,
    'create index other_set_saved on other_set (saved_at)',

    `create table change (
      cid ${text} not null references key (cid) on delete cascade,
      version ${integer} not null,
      kind ${text} not null,
      id ${text} not null,
      by_address ${text} not null,
      arguments ${text} not null,
      at ${integer} not null,
      primary key (cid, version)
    )${clustered}`,
  ],
}
