/** The fields that distinguish most files from folders without a request. */
type Content = { cid: string; mimeType: string | null }

/** How CIDs of single blocks begin (version 1, codec raw, base32): a folder is never one. */
const rawStart = 'bafk'

/** Returns whether content may be a folder. Folders have no media type and are never a single raw block. */
export function mayBeFolder({ cid, mimeType }: Content): boolean {
  return mimeType === null ? !cid.startsWith(rawStart) : mimeType.includes('directory')
}
