import type { NameRecord } from '@cairn/names'

/** The newest record seen of each name, by its canonical form. */
export type KnownNames = Map<string, Pick<NameRecord, 'value' | 'sequence' | 'validUntil'>>
