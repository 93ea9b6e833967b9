import type { Migration } from '@cairn/service'

/** Pins of the Pinning Service API: each is a job until its content is stored, and goes with the upload that it became. */
export const createPins: Migration = {
  name: '0012_create-pins',
  change: 'expand',
  statements: ({ integer, text, strict }) => [
    `create table pin (
      id ${text} primary key,
      address ${text} not null references account (address),
      cid ${text} not null,
      cid_v1 ${text} not null,
      name ${text},
      name_lower ${text},
      origins ${text} not null,
      meta ${text} not null,
      status ${text} not null check (status in ('queued', 'pinning', 'pinned', 'failed')),
      details ${text},
      upload_id ${text} references upload (id) on delete cascade,
      replaced_upload_id ${text} references upload (id) on delete set null,
      owner ${text},
      owner_until ${integer},
      tries ${integer} not null,
      next_at ${integer} not null,
      created_at ${integer} not null
    )${strict}`,
    'create unique index pin_address on pin (address, created_at)',
    "create index pin_due on pin (next_at) where status in ('queued', 'pinning')",
    'create index pin_upload on pin (upload_id) where upload_id is not null',
    'create index pin_replaced on pin (replaced_upload_id) where replaced_upload_id is not null',
  ],
}
