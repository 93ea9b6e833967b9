import type { Migration } from '@cairn/service'

/** Pieces, aggregates, deals with storage providers, and their challenges. */
export const createProofs: Migration = {
  name: '0004_create-proofs',
  change: 'expand',
  statements: ({ integer, text, bytes, strict }) => [
    `create table aggregate (
      id ${text} primary key,
      cid ${text} not null,
      root ${bytes} not null,
      height ${integer} not null,
      piece_count ${integer} not null,
      copies ${integer} not null,
      state ${text} not null check (state in ('live', 'ending')),
      created_at ${integer} not null,
      looked_at ${integer} not null
    )${strict}`,
    'create index aggregate_looked on aggregate (state, looked_at)',
    'create index aggregate_cid on aggregate (cid)',

    `create table piece (
      id ${text} primary key,
      cid ${text} not null,
      root ${bytes} not null,
      height ${integer} not null,
      payload_bytes ${integer} not null,
      copies ${integer} not null,
      tree_key ${text},
      created_at ${integer} not null,
      aggregate_id ${text} references aggregate (id),
      position ${integer}
    )${strict}`,
    'create index piece_aggregate on piece (aggregate_id, position)',
    'create index piece_waiting on piece (created_at) where aggregate_id is null',
    'create index piece_cid on piece (cid)',

    // No foreign key to packs: the content of an aggregate must be known after a pack is removed.
    `create table piece_pack (
      pack_id ${integer} not null,
      pack_offset_bytes ${integer} not null,
      piece_id ${text} not null references piece (id),
      offset_bytes ${integer} not null,
      size_bytes ${integer} not null,
      object_key ${text} not null,
      primary key (pack_id, pack_offset_bytes)
    )${strict}`,
    'create index piece_pack_piece on piece_pack (piece_id, offset_bytes)',

    `create table deal (
      number ${integer} primary key,
      aggregate_id ${text} not null references aggregate (id),
      provider ${text} not null,
      provider_key ${text},
      state ${text} not null
        check (state in ('queued', 'offered', 'kept', 'proving', 'faulted', 'failed', 'ended')),
      since ${integer} not null,
      created_at ${integer} not null,
      kept_at ${integer},
      proven_at ${integer},
      next_at ${integer} not null,
      tries ${integer} not null,
      proofs ${integer} not null,
      faults ${integer} not null,
      token_hash ${bytes},
      error ${text}
    )${strict}`,
    'create index deal_aggregate on deal (aggregate_id)',
    'create index deal_next on deal (state, next_at)',
    'create index deal_token on deal (token_hash) where token_hash is not null',

    `create table possession_check (
      id ${text} primary key,
      deal_number ${integer} not null references deal (number),
      asked_at ${integer} not null,
      outcome ${text} not null check (outcome in ('proved', 'wrong', 'silent')),
      reason ${text},
      nonce ${text} not null,
      nonce_source ${text} not null,
      leaf_count ${integer} not null,
      answer ${text}
    )${strict}`,
    'create index possession_check_deal on possession_check (deal_number, asked_at desc, id desc)',

    `create table copy_policy (
      address ${text} primary key references account (address),
      copies ${integer} not null,
      updated_at ${integer} not null
    )${strict}`,
  ],
}
