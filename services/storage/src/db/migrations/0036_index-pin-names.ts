import type { Migration } from '@cairn/service'

/** Indexes the names of pins, with and without their case, in the order of a list. */
export const indexPinNames: Migration = {
  name: '0036_index-pin-names',
  change: 'expand',
  statements: () => [
    'create index pin_name on pin (address, name, created_at) where name is not null',
    'create index pin_name_lower on pin (address, name_lower, created_at) where name_lower is not null',
  ],
}
