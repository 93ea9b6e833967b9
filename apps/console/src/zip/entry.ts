/** A file of a ZIP. */
export type Entry = { name: string; lastModified: Date; input: AsyncIterable<Uint8Array> }
