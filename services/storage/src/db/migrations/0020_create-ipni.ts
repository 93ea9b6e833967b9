import type { Migration } from '@cairn/service'

/**
 * Content that is announced to indexers (IPNI), and the chain of advertisements. The one row of `ipni_chain` names the head,
 * and every new advertisement changes it, so a chain cannot fork.
 */
export const createIpni: Migration = {
  name: '0020_create-ipni',
  change: 'expand',
  statements: ({ integer, text, bytes, strict, clustered }) => [
    `create table announced_upload (
      upload_id ${text} primary key references upload (id) on delete cascade,
      root_multihash ${bytes} not null
    )${strict}`,
    'create index announced_upload_root on announced_upload (root_multihash)',

    `create table announcement (
      root_multihash ${bytes} primary key,
      cid ${text} not null,
      is_listed ${integer} not null check (is_listed in (0, 1)),
      due_at ${integer}
    )${strict}`,
    'create index announcement_due on announcement (due_at) where due_at is not null',

    `create table ipni_chain (
      one ${integer} primary key check (one = 1),
      generation ${integer} not null,
      peer_id ${text} not null,
      head ${text},
      length ${integer} not null
    )${strict}`,

    `create table ipni_ad (
      cid ${text} primary key,
      sequence ${integer} not null,
      data ${bytes} not null,
      created_at ${integer} not null
    )${strict}`,
    'create unique index ipni_ad_sequence on ipni_ad (sequence)',

    `create table ipni_chunk (
      root_multihash ${bytes} not null,
      position ${integer} not null,
      cid ${text} not null,
      data ${bytes} not null,
      primary key (root_multihash, position)
    )${clustered}`,
    'create index ipni_chunk_cid on ipni_chunk (cid)',
  ],
}
