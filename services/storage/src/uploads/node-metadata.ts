import { CairnError } from '@cairn/protocol'
import type { NodeMetadata } from '@cairn/unixfs'
import { fromGoMode } from '../content/go-mode.ts'
import type { UploadSettings } from './upload-settings.ts'

/** Which modes and times an upload stores. Those of each part are sent with its field name: `file?mode=0644&mtime=1700000000`. */
export type MetadataRequest = {
  /** For everything that is uploaded. */
  all: NodeMetadata
  /** Whether each part states its own: never with one for everything, as in Kubo. */
  keepsModes: boolean
  keepsTimes: boolean
}

/** Parameters of Kubo's `add` about modes and times. */
export type MetadataQuery = {
  mode?: string | undefined
  mtime?: string | undefined
  'mtime-nsecs'?: string | undefined
  'preserve-mode'?: boolean | undefined
  'preserve-mtime'?: boolean | undefined
  'raw-leaves'?: boolean | undefined
  profile?: string | undefined
}

const maxNanoseconds = 999_999_999

/** Reads which modes and times to store; undefined if none. @throws CairnError INVALID_REQUEST */
export function readMetadataRequest(query: MetadataQuery): MetadataRequest | undefined {
  const mode = readMode(query.mode)
  const mtime = readTime(query)
  const { 'preserve-mode': keepsModes = false, 'preserve-mtime': keepsTimes = false } = query
  if (mode === 0 && mtime === undefined && !keepsModes && !keepsTimes) return undefined
  // A raw block has no place for either, and folders of the profile are sharded by the size of their blocks.
  const other = query['raw-leaves'] ? 'raw-leaves' : query.profile === undefined ? undefined : 'profile'
  if (other !== undefined) throw invalid(`${other} cannot be used with modes or times`)
  return {
    all: { ...(mode === 0 ? {} : { mode }), ...(mtime === undefined ? {} : { mtime }) },
    keepsModes: keepsModes && mode === 0,
    keepsTimes: keepsTimes && mtime === undefined,
  }
}

/** Returns the settings of an upload that stores modes and times: as in Kubo, its leaves are not raw blocks. */
export function withMetadata(settings: UploadSettings, request: MetadataRequest | undefined): UploadSettings {
  const { profile } = settings
  if (request === undefined || !profile.rawLeaves) return settings
  return { ...settings, profile: { ...profile, name: `${profile.name}, wrapped`, rawLeaves: false } }
}

/**
 * Returns the mode and the time of a part; undefined if it has none.
 * @param isLink whether it is a symbolic link, whose mode Kubo does not store
 * @throws CairnError INVALID_MULTIPART
 */
export function readPartMetadata(
  request: MetadataRequest,
  fieldName: string,
  isLink = false,
): NodeMetadata | undefined {
  const [, query] = fieldName.split('?', 2)
  const sent = new URLSearchParams(query)
  const mode = request.keepsModes ? fromGoMode(readNumber(sent.get('mode'), 8) ?? 0) : (request.all.mode ?? 0)
  const mtime = request.keepsTimes ? readSentTime(sent, query !== undefined) : request.all.mtime
  if ((mode === 0 || isLink) && mtime === undefined) return undefined
  return { ...(mode === 0 || isLink ? {} : { mode }), ...(mtime === undefined ? {} : { mtime }) }
}

/** As Kubo: if a part has any of these parameters, its time is 1970 by default. */
function readSentTime(sent: URLSearchParams, hasAny: boolean): NodeMetadata['mtime'] {
  if (!hasAny) return undefined
  const seconds = readNumber(sent.get('mtime'), 10) ?? 0
  const nanoseconds = readNumber(sent.get('mtime-nsecs'), 10) ?? 0
  if (nanoseconds < 0 || nanoseconds > maxNanoseconds) {
    throw new CairnError('INVALID_MULTIPART', { message: 'The time of a part has more than a second of nanoseconds' })
  }
  return { seconds, nanoseconds }
}

function readNumber(text: string | null, base: 8 | 10): number | undefined {
  if (text === null) return undefined
  const isNumber = base === 8 ? /^0?[0-7]{1,11}$/.test(text) : /^-?\d{1,15}$/.test(text)
  if (isNumber) return Number.parseInt(text, base)
  throw new CairnError('INVALID_MULTIPART', { message: 'The mode or time of a part is not a number' })
}

/** Reads a mode as Go reads numbers: octal with a leading zero. */
function readMode(text: string | undefined): number {
  if (text === undefined || text === '') return 0
  const octal = /^0o?([0-7]{1,11})$/i.exec(text)?.[1]
  if (octal !== undefined) return fromGoMode(Number.parseInt(octal, 8))
  if (/^\d{1,10}$/.test(text)) return fromGoMode(Number(text))
  throw invalid('mode must be a number, octal if it begins with 0')
}

function readTime({ mtime, 'mtime-nsecs': nanosecondsText }: MetadataQuery): NodeMetadata['mtime'] {
  const seconds = readWhole('mtime', mtime)
  const nanoseconds = readWhole('mtime-nsecs', nanosecondsText)
  if (nanoseconds < 0 || nanoseconds > maxNanoseconds) throw invalid(`mtime-nsecs must be from 0 to ${maxNanoseconds}`)
  if (seconds !== 0) return { seconds, nanoseconds }
  if (nanoseconds > 0) throw invalid('mtime-nsecs requires mtime')
  return undefined
}

function readWhole(name: string, text: string | undefined): number {
  if (text === undefined || text === '') return 0
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw invalid(`${name} must be a whole number`)
}

function invalid(message: string): CairnError {
  return new CairnError('INVALID_REQUEST', { message })
}
