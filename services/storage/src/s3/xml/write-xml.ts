/** Content of an element: text, child elements in order, or a list that repeats the element. */
export type XmlContent = string | number | boolean | undefined | XmlRecord | Markup | readonly XmlContent[]
export type XmlRecord = { readonly [name: string]: XmlContent }

/** Elements that are written already, instead of the element that has them as its content. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** Writes a document. Omits elements with undefined content. A list repeats its element. */
export function writeXml(root: string, content: XmlRecord | string, { hasNamespace = true } = {}): string {
  const open = hasNamespace ? `<${root} xmlns="${namespace}">` : `<${root}>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${open}${typeof content === 'string' ? escapeText(content) : writeRecord(content)}</${root}>`
}

function writeRecord(record: XmlRecord): string {
  let text = ''
  for (const [name, content] of Object.entries(record)) text += writeElement(name, content)
  return text
}

export function writeElement(name: string, content: XmlContent): string {
  if (content === undefined) return ''
  if (content instanceof Markup) return content.text
  if (isList(content)) return content.map((one) => writeElement(name, one)).join('')
  const inner = typeof content === 'object' ? writeRecord(content) : escapeText(String(content))
  return `<${name}>${inner}</${name}>`
}

function isList(content: XmlContent): content is readonly XmlContent[] {
  return Array.isArray(content)
}

/** Escapes control characters as references, like S3. XML 1.0 parsers reject them, so clients request `encoding-type=url`. */
export function escapeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are escaped here
  return text.replace(/[&<>"\x00-\x08\x0b-\x1f\x7f]/g, (one) => named[one] ?? `&#x${one.charCodeAt(0).toString(16)};`)
}

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
