import { CairnError } from '@cairn/protocol'

/** Maximum length of a boundary, in characters. @see https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1 */
const maxBoundaryCharacters = 70

/**
 * Returns the boundary of a `multipart/form-data` content type.
 *
 * @throws CairnError UNSUPPORTED_MEDIA_TYPE for another type, INVALID_MULTIPART for a missing boundary or one that
 * RFC 2046 does not allow.
 */
export function readBoundary(contentType: string | undefined): string {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'multipart/form-data') {
    throw new CairnError('UNSUPPORTED_MEDIA_TYPE', {
      hint: 'Send multipart/form-data, each file as a part named "file".',
    })
  }
  const found = /;[ \t]*boundary=(?:"([^"]*)"|([^;]*))/i.exec(contentType ?? '')
  const boundary = found?.[1] ?? found?.[2]?.trim() ?? ''
  if (boundary === '' || boundary.length > maxBoundaryCharacters || !/^[\x20-\x7e]*[\x21-\x7e]$/.test(boundary)) {
    throw new CairnError('INVALID_MULTIPART', {
      message: `The multipart boundary must have 1 to ${maxBoundaryCharacters} plain characters`,
    })
  }
  return boundary
}
