import { CairnError, type ReceivedParameters } from '@cairn/protocol'
import type { ImportProfile } from '@cairn/unixfs'
import { readImportProfile } from './import-profile.ts'
import { readMimeType } from './mime-type.ts'

/** The options of an upload. */
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
  /** Whether its content is served to its owner and through signed links only. */
  isPrivate: boolean
}

/**
 * Reads all parameters of an upload, whichever way they arrived: a parameter without a line here does not compile.
 * @throws CairnError INVALID_CID_VERSION, INVALID_REQUEST for Kubo options that would produce other CIDs than requested, and
 *   for a private upload that is encrypted or announced
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
    private: isPrivate,
    ...unread
  } = parameters
  void (unread satisfies Record<string, never>)
  const settings = {
    encryption: encryption?.toLowerCase() === 'true',
    announce: announce === undefined ? undefined : announce === 'true',
    isPrivate: isPrivate === 'true',
  }
  requirePrivacyAlone(settings)
  return {
    ...settings,
    profile: readImportProfile(parameters, defaultVersion),
    wrap,
    keepsEmptyFolders,
    mimeType: readMimeType(mimeType),
    storageType,
  }
}

/** @throws CairnError INVALID_REQUEST for a private upload with an option that contradicts it */
function requirePrivacyAlone({
  encryption,
  announce,
  isPrivate,
}: Pick<UploadSettings, 'encryption' | 'announce' | 'isPrivate'>): void {
  if (!isPrivate) return
  if (encryption) {
    throw new CairnError('INVALID_REQUEST', {
      message: 'An upload is either private or encrypted',
      hint: 'Omit private: encrypted content can be read with its key only.',
    })
  }
  if (announce === true) {
    throw new CairnError('INVALID_REQUEST', {
      message: 'A private upload is not announced',
      hint: 'Omit announce or private.',
    })
  }
}
