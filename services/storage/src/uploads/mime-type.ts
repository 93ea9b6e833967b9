import { readMediaType } from '@cairn/protocol'
import { contentTypeByBytes, contentTypeByName, sniffBytes } from '../content/content-type.ts'

export { sniffBytes }

/** The first bytes of a file, up to {@link sniffBytes}; `isWhole` when they are the whole file. */
export type FileStart = { bytes: Uint8Array; isWhole: boolean }

/** Detects the media type of an upload, without parameters: by its name, else by its first bytes when available. */
export async function findMimeType(name: string, start: FileStart | undefined): Promise<string | null> {
  return mimeTypeByName(name) ?? withoutParameters(start && (await contentTypeByBytes(start.bytes, start.isWhole)))
}

/** Returns the media type for a file name, without parameters. */
export function mimeTypeByName(name: string): string | null {
  return withoutParameters(contentTypeByName(name))
}

function withoutParameters(type: string | undefined): string | null {
  return type?.split(';', 1)[0] ?? null
}

/** Parses a client's media type, without parameters. Published clients send the word `null` for an unknown type. */
export function readMimeType(header: string | undefined): string | undefined {
  return header === undefined ? undefined : readMediaType(header)
}
