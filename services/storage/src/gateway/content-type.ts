import { fileTypeFromBuffer } from 'file-type'
import { lookup } from 'mrmime'

/** How many of a file's first bytes are looked at. */
export const sniffBytes = 4100
/** Largest file that is read as a whole to tell JSON from text, in bytes. */
const jsonSniffMost = 4096

const textTypes = /^(?:text\/|application\/(?:javascript|ecmascript|xml|xhtml\+xml|x-sh|toml|yaml)$|image\/svg\+xml$)/
const scriptTypes = new Set(['application/javascript', 'application/ecmascript'])

/** The content type that a file name's extension stands for, or undefined where it says nothing. */
export function contentTypeByName(name: string): string | undefined {
  if (!name.includes('.')) return undefined
  const type = lookup(name)
  return type === undefined ? undefined : withCharset(scriptTypes.has(type) ? 'text/javascript' : type)
}

function withCharset(type: string): string {
  return textTypes.test(type) ? `${type}; charset=utf-8` : type
}

/**
 * Tells the content type from a file's first bytes: known signatures first, then text in its common forms.
 * @param isWhole whether the bytes are all there is.
 */
export async function contentTypeByBytes(bytes: Uint8Array, isWhole: boolean): Promise<string> {
  const known = await detectSignature(bytes)
  // An XML declaration is all that file-type sees; what kind of XML it is shows below.
  if (known !== undefined && known !== 'application/xml') return withCharset(known)
  return detectText(bytes, isWhole) ?? known ?? 'application/octet-stream'
}

async function detectSignature(bytes: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(bytes))?.mime
  } catch {
    // A file that ends in the middle of its own signature is no error of ours: it has no known type.
    return undefined
  }
}

function detectText(bytes: Uint8Array, isWhole: boolean): string | undefined {
  const text = decodeText(bytes, isWhole)
  if (text === undefined) return undefined
  const start = text.trimStart().slice(0, 256).toLowerCase()
  if (/^(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html|head|body|script|iframe)\b/.test(start))
    return 'text/html; charset=utf-8'
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!doctype svg[^>]*>\s*)?<svg\b/.test(start)) return 'image/svg+xml; charset=utf-8'
  if (start.startsWith('<?xml')) return 'application/xml; charset=utf-8'
  if (isWhole && bytes.length <= jsonSniffMost && /^[{[]/.test(start) && isJson(text)) return 'application/json'
  return 'text/plain; charset=utf-8'
}

/** The bytes as text, or undefined when they are not UTF-8 or have control characters that no text has. */
function decodeText(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells bytes from text
    return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text
  } catch {
    // Not UTF-8 is the answer looked for.
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Not JSON is the answer looked for.
    return false
  }
}

/** Types that browsers run or render with scripts: on a shared origin they are boxed in. */
const activeTypes =
  /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml|(?:text|application)\/xml|[^;]*\+xml|text\/xsl)/

/** Whether a browser may run something in a document of this type. */
export function isActiveType(contentType: string): boolean {
  return activeTypes.test(contentType)
}
