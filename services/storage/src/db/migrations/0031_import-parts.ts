import type { Migration } from '@cairn/service'

/**
 * Resumable uploads whose bytes become content as they come: the packs that an unfinished upload holds, and the state of
 * its import. Earlier versions see such an upload without a byte and can receive it from the first one; without a
 * reference to `resumable_upload` they can also remove it, and the worker of this version removes the rest.
 */
export const importParts: Migration = {
  name: '0031_import-parts',
  change: 'expand',
  statements: ({ integer, text, bytes, strict, clustered }) => [
    `create table held_pack (
      holder_id ${text} not null,
      pack_id ${integer} not null references pack (id),
      is_own ${integer} not null check (is_own in (0, 1)),
      primary key (holder_id, pack_id)
    )${clustered}`,
    'create index held_pack_pack on held_pack (pack_id)',

    `create table resumable_import (
      upload_id ${text} primary key,
      offset_bytes ${integer} not null,
      levels ${text} not null,
      tail ${bytes} not null,
      start ${bytes} not null,
      parts ${integer} not null
    )${strict}`,
  ],
}
