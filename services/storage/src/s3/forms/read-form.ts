import { KIB } from '@cairn/protocol'
import type { PartSink } from '../../multipart/multipart-parser.ts'
import { type Feed, readMultipart } from '../../multipart/read-multipart.ts'
import { s3Error } from '../s3-error.ts'

/** Maximum bytes of all fields of a form, as in S3. */
const maxFieldBytes = 20 * KIB
const maxFields = 200
/** Line breaks and dashes around the last boundary of a body. */
const closingBytes = 8

/** A form that a browser sent: its fields before the file, and the file, which is read later. */
export type IncomingForm = {
  /** Values by lower-case name. */
  fields: ReadonlyMap<string, string>
  file: {
    name: string
    /** Maximum size in bytes: the rest of the body. */
    maxBytes: number
    /** Passes the bytes of the file, then reads the rest of the form, whose fields are ignored. */
    feed: Feed
  }
  /** Stops reading. Required if the file is not read. */
  cancel(): void
}

/**
 * Reads the fields of a form up to its file.
 * @throws CairnError `InvalidArgument`, `MaxPostPreDataLengthExceeded`, `MalformedPOSTRequest`
 */
export async function readForm(body: Feed, boundary: string, bodyBytes: number): Promise<IncomingForm> {
  const fields = new Map<string, string>()
  const opened = Promise.withResolvers<{ name: string; maxBytes: number }>()
  const chosen = Promise.withResolvers<PartSink>()
  // They are not awaited if the form has no file, or if it is not read.
  opened.promise.catch(() => undefined)
  chosen.promise.catch(() => undefined)
  let isOpen = false
  let fieldBytes = 0
  const openField = (name: string): PartSink => {
    const pieces: Buffer[] = []
    return {
      write: (piece) => {
        fieldBytes += piece.length
        if (fieldBytes > maxFieldBytes) throw s3Error('MaxPostPreDataLengthExceeded')
        pieces.push(Buffer.from(piece))
      },
      end: () => {
        if (!fields.has(name)) fields.set(name, Buffer.concat(pieces).toString())
      },
    }
  }
  const reading = readMultipart(
    body,
    boundary,
    ({ fieldName, fileName = '', bodyOffset }) => {
      if (isOpen) return { write: () => undefined, end: () => undefined }
      const name = fieldName.toLowerCase()
      fieldBytes += name.length
      if (name !== 'file') return openField(name)
      isOpen = true
      opened.resolve({ name: fileName, maxBytes: Math.max(0, bodyBytes - bodyOffset - boundary.length - closingBytes) })
      return chosen.promise
    },
    { maxParts: maxFields },
  )
  reading.then(
    () => opened.reject(s3Error('InvalidArgument', 'POST requires exactly one file upload per request.')),
    (error: unknown) => opened.reject(error),
  )
  const { name, maxBytes } = await opened.promise
  return {
    fields,
    file: {
      name,
      maxBytes,
      feed: async (take) => {
        chosen.resolve({ write: take, end: () => undefined })
        await reading
      },
    },
    cancel: () => chosen.reject(s3Error('AccessDenied')),
  }
}
