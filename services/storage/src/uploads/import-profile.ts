import { CairnError, KIB, MIB } from '@cairn/protocol'
import { type ImportProfile, importProfiles, profileFor } from '@cairn/unixfs'

/** Smallest chunk that may be asked for: smaller ones cost more index than data. */
const chunkBytesLeast = 16 * KIB
/** Largest chunk, as in Kubo: a block with its wrapping stays within 2 MiB. */
const chunkBytesMost = 2 * MIB - 256

/** The query parameters that decide how bytes become a DAG. */
export type ProfileQuery = {
  'cid-version'?: string | undefined
  'raw-leaves'?: boolean | undefined
  profile?: 'unixfs-v0-2015' | 'unixfs-v1-2025' | undefined
  [parameter: string]: unknown
}

/**
 * The import profile that a query asks for.
 *
 * @throws CairnError INVALID_CID_VERSION, INVALID_REQUEST for Kubo's options that would lead to other CIDs than asked for.
 */
export function readImportProfile(query: ProfileQuery, defaultVersion: 0 | 1): ImportProfile {
  const version = query['cid-version']
  if (version !== undefined && version !== '0' && version !== '1') throw new CairnError('INVALID_CID_VERSION')
  refuseUnknown(query)
  const base = baseProfile(query.profile, version, defaultVersion)
  const rawLeaves = query['raw-leaves'] ?? base.rawLeaves
  const chunkSizeBytes = readChunker(query['chunker']) ?? base.chunkSizeBytes
  if (rawLeaves === base.rawLeaves && chunkSizeBytes === base.chunkSizeBytes) return base
  return { ...base, name: `${base.name}, changed`, rawLeaves, chunkSizeBytes }
}

function baseProfile(
  name: ProfileQuery['profile'],
  version: '0' | '1' | undefined,
  defaultVersion: 0 | 1,
): ImportProfile {
  if (name === 'unixfs-v0-2015' && version !== '1') return importProfiles.v0
  if (name === 'unixfs-v1-2025') {
    if (version === '0') {
      throw new CairnError('INVALID_REQUEST', { message: 'The profile unixfs-v1-2025 needs cid-version 1' })
    }
    return importProfiles['unixfs-v1-2025']
  }
  return profileFor(version === undefined ? defaultVersion : version === '1' ? 1 : 0)
}

function refuseUnknown(query: ProfileQuery): void {
  const problems: string[] = []
  if ((query['hash'] ?? 'sha2-256') !== 'sha2-256') problems.push('hash must be sha2-256')
  for (const name of ['trickle', 'inline', 'nocopy', 'preserve-mode', 'preserve-mtime']) {
    const value = query[name]
    if (value !== undefined && value !== 'false' && value !== '0') problems.push(`${name} is not supported`)
  }
  for (const name of ['mode', 'mtime']) if (query[name] !== undefined) problems.push(`${name} is not kept`)
  if (problems.length > 0)
    throw new CairnError('INVALID_REQUEST', { message: problems.join('; '), details: { problems } })
}

function readChunker(chunker: unknown): number | undefined {
  if (chunker === undefined || chunker === '' || chunker === 'default') return undefined
  const size = typeof chunker === 'string' ? Number(/^size-(\d{1,8})$/.exec(chunker)?.[1] ?? Number.NaN) : Number.NaN
  if (size >= chunkBytesLeast && size <= chunkBytesMost) return size
  throw new CairnError('INVALID_REQUEST', {
    message: `chunker must be size-N with N from ${chunkBytesLeast} to ${chunkBytesMost}`,
  })
}
