import type { Migration } from '@cairn/service'

/**
 * The event log of each account, numbered without gaps by a counter in the row of the account, and webhooks that deliver
 * it. A delivery has a copy of its event, which may expire first.
 */
export const createEvents: Migration = {
  name: '0017_create-events',
  change: 'expand',
  statements: ({ integer, text, bytes, strict, clustered }) => [
    `alter table account add column event_count ${integer} not null default 0`,
    `create table account_event (
      address ${text} not null,
      sequence ${integer} not null,
      id ${text} not null,
      type ${text} not null,
      data ${text} not null,
      created_at ${integer} not null,
      primary key (address, sequence)
    )${clustered}`,

    // An event of an aggregate on its way to the accounts that have content in it.
    `create table aggregate_event (
      id ${text} primary key,
      aggregate_id ${text} not null,
      type ${text} not null,
      data ${text} not null,
      created_at ${integer} not null,
      after_address ${text} not null
    )${strict}`,

    `create table webhook (
      id ${text} primary key,
      address ${text} not null references account (address),
      url ${text} not null,
      types ${text} not null,
      description ${text} not null,
      seal ${bytes} not null,
      secret_id ${text} not null,
      is_enabled ${integer} not null,
      disabled_reason ${text},
      failing_since ${integer},
      cursor ${integer} not null,
      missed_events ${integer} not null,
      created_at ${integer} not null
    )${strict}`,
    'create index webhook_address on webhook (address, id)',

    `create table webhook_delivery (
      webhook_id ${text} not null references webhook (id) on delete cascade,
      sequence ${integer} not null,
      event_id ${text} not null,
      type ${text} not null,
      body ${text} not null,
      state ${text} not null check (state in ('pending', 'delivered', 'failed')),
      tries ${integer} not null,
      next_at ${integer} not null,
      owner ${text},
      owner_until ${integer},
      last_status ${integer},
      last_error ${text},
      created_at ${integer} not null,
      updated_at ${integer} not null,
      primary key (webhook_id, sequence)
    )${strict}`,
    "create index webhook_delivery_due on webhook_delivery (next_at) where state = 'pending'",
    "create index webhook_delivery_ended on webhook_delivery (updated_at) where state <> 'pending'",
  ],
}
