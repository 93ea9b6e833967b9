import type { Migration } from '@cairn/service'

/** Payments, their credits, and how far each chain was read. */
export const createPayments: Migration = {
  name: '0002_create-payments',
  change: 'expand',
  statements: ({ integer, text, strict }) => [
    `create table payment (
      id ${text} primary key,
      network ${text} not null,
      chain_id ${integer} not null,
      tx_hash ${text} not null,
      ordinal ${integer} not null,
      block_number ${integer} not null,
      block_hash ${text} not null,
      block_time ${integer} not null,
      payer ${text} not null,
      address ${text} not null,
      token ${text} not null,
      coin ${text} not null,
      units ${text} not null,
      state ${text} not null check (state in ('seen', 'unpriced', 'credited', 'refused', 'orphaned')),
      reason ${text},
      price ${text},
      price_decimals ${integer},
      price_source ${text},
      bytes ${integer},
      created_at ${integer} not null,
      updated_at ${integer} not null,
      credited_at ${integer},
      unique (chain_id, tx_hash, ordinal)
    )${strict}`,
    'create index payment_address on payment (address, created_at desc, id desc)',
    'create index payment_state on payment (chain_id, state, block_number)',

    `create table ledger_entry (
      id ${text} primary key,
      address ${text} not null references account (address),
      kind ${text} not null check (kind in ('allowance', 'payment', 'adjustment')),
      cause ${text} not null unique,
      bytes ${integer} not null,
      note ${text} not null,
      created_at ${integer} not null
    )${strict}`,
    'create index ledger_address on ledger_entry (address, created_at desc, id desc)',
    // Allowances that accounts received before there was a ledger.
    `insert into ledger_entry (id, address, kind, cause, bytes, note, created_at)
      select '00000000-' || address, address, 'allowance', 'allowance:' || address, data_limit_bytes, 'Free allowance', created_at
      from account`,

    `create table chain_cursor (
      chain_id ${integer} primary key,
      contract ${text} not null,
      final_block ${integer} not null,
      final_hash ${text} not null,
      head_block ${integer} not null,
      checked_at ${integer} not null,
      fault ${text}
    )${strict}`,

    `create table report (
      id ${text} primary key,
      kind ${text} not null,
      created_at ${integer} not null,
      findings ${integer} not null,
      body ${text} not null
    )${strict}`,
    'create index report_kind on report (kind, created_at desc)',
  ],
}
