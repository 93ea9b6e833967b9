import type { Migration } from '@cairn/service'

/** Bytes that the gateway sent of stored content, by day in UTC: days since 1970. */
export const createEgress: Migration = {
  name: '0030_create-egress',
  change: 'expand',
  statements: ({ integer, bytes, strict }) => [
    `create table egress (
      day ${integer} not null,
      root_multihash ${bytes} not null,
      bytes ${integer} not null,
      primary key (day, root_multihash)
    )${strict}`,
  ],
}
