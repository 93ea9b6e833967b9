import type { PartSink } from '../multipart/multipart-parser.ts'
import { type Feed, readMultipart } from '../multipart/read-multipart.ts'

/** One file, folder or link of an upload. */
export type SourcePart = {
  /** Name of the form field, with the mode and time that Kubo's clients append; empty without a form. */
  fieldName: string
  fileName: string | undefined
  /** Media type in lower case; `partTypes` names those of folders and links. */
  contentType: string | undefined
  /** Remaining bytes of the upload, including headers of later parts; undefined when unknown. */
  remainingBytes: number | undefined
}

/** Passes all parts of an upload in order, each to the sink opened for it. */
export type PartSource = (openPart: (part: SourcePart) => PartSink | Promise<PartSink>) => Promise<void>

/** Line breaks and dashes around the last boundary of a body. */
const closingBytes = 8

/**
 * Returns the parts of a multipart body.
 * @param bodyBytes length of the body; undefined when unknown
 */
export function multipartSource(body: Feed, boundary: string, bodyBytes: number | undefined): PartSource {
  return (openPart) =>
    readMultipart(body, boundary, ({ fieldName, fileName, contentType, bodyOffset }) => {
      const remainingBytes =
        bodyBytes === undefined ? undefined : bodyBytes - bodyOffset - boundary.length - closingBytes
      return openPart({ fieldName, fileName, contentType, remainingBytes })
    })
}

/**
 * Returns a single file whose bytes are the whole body.
 * @param file its name, undefined to use the CID, and its length in bytes if known
 */
export function fileSource(
  body: Feed,
  { fileName, sizeBytes }: { fileName: string | undefined; sizeBytes?: number | undefined },
): PartSource {
  return async (openPart) => {
    const sink = await openPart({ fieldName: '', fileName, contentType: undefined, remainingBytes: sizeBytes })
    await body(sink.write)
    await sink.end()
  }
}
