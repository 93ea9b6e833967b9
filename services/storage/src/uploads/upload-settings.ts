import type { ReceivedParameters } from '@cairn/protocol'
import type { ImportProfile } from '@cairn/unixfs'
import { readImportProfile } from './import-profile.ts'
import { readMimeType } from './mime-type.ts'

/** What a client chose for an upload. */
export type UploadSettings = {
  profile: ImportProfile
  wrap: boolean
  keepsEmptyFolders: boolean
  encryption: boolean
  /** Overrides the detected media type. */
  mimeType: string | undefined
  storageType: string | undefined
  /** Whether indexers learn of it; the operator's default when undefined. */
  announce: boolean | undefined
}

/**
 * Reads all parameters of an upload, whichever way they arrived: a parameter without a line here does not compile.
 * @throws CairnError INVALID_CID_VERSION, INVALID_REQUEST for Kubo options that would produce other CIDs than requested
 */
export function readUploadSettings(parameters: ReceivedParameters, defaultVersion: 0 | 1): UploadSettings {
  const {
    'cid-version': _version,
    'raw-leaves': _rawLeaves,
    profile: _profile,
    hash: _hash,
    chunker: _chunker,
    'max-file-links': _fileLinks,
    'max-directory-links': _folderLinks,
    'max-hamt-fanout': _fanout,
    'wrap-with-directory': wrap = false,
    'empty-dirs': keepsEmptyFolders = true,
    encryption,
    'mime-type': mimeType,
    'x-storage-type': storageType,
    announce,
    ...unread
  } = parameters
  void (unread satisfies Record<string, never>)
  return {
    profile: readImportProfile(parameters, defaultVersion),
    wrap,
    keepsEmptyFolders,
    encryption: encryption?.toLowerCase() === 'true',
    mimeType: readMimeType(mimeType),
    storageType,
    announce: announce === undefined ? undefined : announce === 'true',
  }
}
