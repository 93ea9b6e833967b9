import { contentTypeByBytes, contentTypeByName, sniffBytes } from '../gateway/content-type.ts'

export { sniffBytes }

/** The first bytes of a file, up to {@link sniffBytes}, and whether they are all of it. */
export type FileStart = { bytes: Uint8Array; isWhole: boolean }

/** The media type of an upload, without parameters: by its name, else by its first bytes where they are known. */
export async function findMimeType(name: string, start: FileStart | undefined): Promise<string | null> {
  return mimeTypeByName(name) ?? withoutParameters(start && (await contentTypeByBytes(start.bytes, start.isWhole)))
}

/** The media type that a name tells, without parameters. */
export function mimeTypeByName(name: string): string | null {
  return withoutParameters(contentTypeByName(name))
}

function withoutParameters(type: string | undefined): string | null {
  return type?.split(';', 1)[0] ?? null
}

/** A type as a client names it, or undefined; published clients send the word `null` where they know none. */
export function readMimeType(header: string | undefined): string | undefined {
  return header !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(header) ? header.toLowerCase() : undefined
}
