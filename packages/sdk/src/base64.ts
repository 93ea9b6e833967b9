import { CairnError } from '@cairn/protocol'

/**
 * Decodes base64 in the format of the service.
 * @throws CairnError UNEXPECTED_RESPONSE
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch (cause) {
    throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The service returned data that is not base64', cause })
  }
}

/** Characters made at a time: functions take a limited number of arguments. */
const step = 0x8000

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(...bytes.subarray(at, at + step))
  return btoa(text)
}
