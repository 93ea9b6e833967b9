import type { LocalFile } from '../local-source.ts'

/** A page hashes pieces of what it sends instead. */
export const identifyFiles: ((files: AsyncIterable<LocalFile> | Iterable<LocalFile>) => Promise<string>) | undefined =
  undefined
