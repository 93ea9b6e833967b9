import { CairnError, isUnsetKuboFlag, KIB, MIB } from '@cairn/protocol'
import { type ImportProfile, importProfiles, profileFor } from '@cairn/unixfs'

/** Minimum chunk size: smaller chunks cost more index than data. */
const minChunkBytes = 16 * KIB
/** Maximum chunk size, as in Kubo: a block with its wrapping stays within 2 MiB. */
const maxChunkBytes = 2 * MIB - 256

/** Allowed number of links per file node; with more, a node no longer fits into a block. */
const fileLinks = { min: 2, max: 16_384 }
const hamtFanouts = [8, 16, 32, 64, 128, 256, 512, 1024]

/** Kubo options that are rejected, because ignoring them would produce another CID or location than requested. */
const refusedOptions = ['trickle', 'inline', 'nocopy', 'to-files']
/** Short forms that Kubo also accepts over HTTP. Ignored, `n=true` would publish what was only to be hashed. */
const shortForms: Readonly<Record<string, string>> = {
  n: 'only-hash',
  s: 'chunker',
  t: 'trickle',
  w: 'wrap-with-directory',
}

/** Kubo options beyond those of the call, which this module rejects. */
export const rejectedOptions: readonly string[] = refusedOptions

/** The query parameters that decide how bytes become a DAG. */
export type ProfileQuery = {
  'cid-version'?: string | undefined
  'raw-leaves'?: boolean | undefined
  profile?: 'unixfs-v0-2015' | 'unixfs-v1-2025' | undefined
  hash?: string | undefined
  chunker?: string | undefined
  [parameter: string]: unknown
}

/**
 * Reads the import profile from a query.
 *
 * @throws CairnError INVALID_CID_VERSION, INVALID_REQUEST for Kubo options that would produce other CIDs than
 * requested.
 */
export function readImportProfile(query: ProfileQuery, defaultVersion: 0 | 1): ImportProfile {
  const version = query['cid-version']
  if (version !== undefined && version !== '0' && version !== '1') throw new CairnError('INVALID_CID_VERSION')
  refuseUnknown(query)
  const base = baseProfile(query.profile, version, defaultVersion)
  const rawLeaves = query['raw-leaves'] ?? base.rawLeaves
  const chunkSizeBytes = readChunker(query.chunker) ?? base.chunkSizeBytes
  const maxLinks = readFileLinks(query['max-file-links']) ?? base.maxLinks
  const maxFolderLinks = readWhole('max-directory-links', query['max-directory-links']) || undefined
  const hamtFanout = readFanout(query['max-hamt-fanout']) ?? base.hamtFanout
  const isChanged =
    rawLeaves !== base.rawLeaves ||
    chunkSizeBytes !== base.chunkSizeBytes ||
    maxLinks !== base.maxLinks ||
    maxFolderLinks !== undefined ||
    hamtFanout !== base.hamtFanout
  if (!isChanged) return base
  const changed = { ...base, name: `${base.name}, changed`, rawLeaves, chunkSizeBytes, maxLinks, hamtFanout }
  return maxFolderLinks === undefined ? changed : { ...changed, maxFolderLinks }
}

function baseProfile(
  name: ProfileQuery['profile'],
  version: '0' | '1' | undefined,
  defaultVersion: 0 | 1,
): ImportProfile {
  if (name === 'unixfs-v0-2015' && version !== '1') return importProfiles.v0
  if (name === 'unixfs-v1-2025') {
    if (version === '0') {
      throw new CairnError('INVALID_REQUEST', { message: 'The profile unixfs-v1-2025 requires cid-version 1' })
    }
    return importProfiles['unixfs-v1-2025']
  }
  return profileFor(version === undefined ? defaultVersion : version === '1' ? 1 : 0)
}

function refuseUnknown(query: ProfileQuery): void {
  const problems: string[] = []
  if ((query.hash ?? 'sha2-256') !== 'sha2-256') problems.push('hash must be sha2-256')
  for (const name of refusedOptions) {
    const value = query[name]
    if (value !== undefined && !isUnsetKuboFlag(value)) problems.push(`${name} is not supported`)
  }
  for (const [short, name] of Object.entries(shortForms))
    if (query[short] !== undefined) problems.push(`${short} is not supported: write ${name}`)
  if (problems.length > 0)
    throw new CairnError('INVALID_REQUEST', { message: problems.join('; '), details: { problems } })
}

function readFileLinks(text: unknown): number | undefined {
  const links = readWhole('max-file-links', text)
  if (links === undefined || (links >= fileLinks.min && links <= fileLinks.max)) return links
  throw new CairnError('INVALID_REQUEST', {
    message: `max-file-links must be from ${fileLinks.min} to ${fileLinks.max}`,
  })
}

function readFanout(text: unknown): number | undefined {
  const fanout = readWhole('max-hamt-fanout', text)
  if (fanout === undefined || hamtFanouts.includes(fanout)) return fanout
  throw new CairnError('INVALID_REQUEST', { message: 'max-hamt-fanout must be a power of two from 8 to 1024' })
}

function readWhole(name: string, text: unknown): number | undefined {
  if (text === undefined || text === '') return undefined
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text)
  throw new CairnError('INVALID_REQUEST', { message: `${name} must be a whole number` })
}

function readChunker(chunker: string | undefined): number | undefined {
  if (chunker === undefined || chunker === '' || chunker === 'default') return undefined
  const size = Number(/^size-(\d{1,8})$/.exec(chunker)?.[1] ?? Number.NaN)
  if (size >= minChunkBytes && size <= maxChunkBytes) return size
  throw new CairnError('INVALID_REQUEST', {
    message: `chunker must be size-N with N from ${minChunkBytes} to ${maxChunkBytes}`,
  })
}
