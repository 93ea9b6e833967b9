import { fileTypeFromBuffer } from 'file-type'
import { lookup } from 'mrmime'

/** Number of leading bytes used for type detection. */
export const sniffBytes = 4100
/** Maximum size of a file that is read completely to distinguish JSON from text, in bytes. */
const maxJsonSniffBytes = 4096

const textTypes = /^(?:text\/|application\/(?:javascript|ecmascript|xml|xhtml\+xml|x-sh|toml|yaml)$|image\/svg\+xml$)/
const scriptTypes = new Set(['application/javascript', 'application/ecmascript'])

/** Returns the content type of a file name's extension, or undefined when it has none. */
export function contentTypeByName(name: string): string | undefined {
  if (!name.includes('.')) return undefined
  const type = lookup(name)
  return type === undefined ? undefined : withCharset(scriptTypes.has(type) ? 'text/javascript' : type)
}

function withCharset(type: string): string {
  return textTypes.test(type) ? `${type}; charset=utf-8` : type
}

/**
 * Detects the content type from a file's first bytes: known signatures first, then common text formats.
 * @param isWhole whether the bytes are the whole file.
 */
export async function contentTypeByBytes(bytes: Uint8Array, isWhole: boolean): Promise<string> {
  const known = await detectSignature(bytes)
  // file-type detects only the XML declaration; the kind of XML is detected below.
  if (known !== undefined && known !== 'application/xml') return withCharset(known)
  return detectText(bytes, isWhole) ?? known ?? 'application/octet-stream'
}

async function detectSignature(bytes: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(bytes))?.mime
  } catch {
    // A file that ends within its own signature has no known type; this is not an error.
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
  if (isWhole && bytes.length <= maxJsonSniffBytes && /^[{[]/.test(start) && isJson(text)) return 'application/json'
  return 'text/plain; charset=utf-8'
}

/**
 * Decodes the bytes as text, or returns undefined when they are not UTF-8 or contain control characters that text
 * never has.
 */
function decodeText(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells bytes from text
    return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text
  } catch {
    // Not UTF-8 is an expected result.
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Not JSON is an expected result.
    return false
  }
}

/** Types that browsers execute or render with scripts: sandboxed on a shared origin. */
const activeTypes =
  /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml|(?:text|application)\/xml|[^;]*\+xml|text\/xsl)/

/** Whether a browser may execute code in a document of this type. */
export function isActiveType(contentType: string): boolean {
  return activeTypes.test(contentType)
}
