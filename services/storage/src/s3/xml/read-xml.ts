import { parseXml, XmlElement } from '@rgrove/parse-xml'
import { s3Error } from '../s3-error.ts'

/** A parsed element. */
export type ReadElement = {
  readonly name: string
  /** Text content. */
  readonly text: string
  /** Names of the child elements. */
  readonly childNames: readonly string[]
  /** Returns the child elements with a name. */
  all(name: string): ReadElement[]
  /** Returns the text of the first child element with a name; undefined if there is none. */
  textOf(name: string): string | undefined
}

const maxElements = 50_000

/**
 * Parses a document with a given root element. Ignores namespaces, and rejects entities other than XML's own five.
 * @throws CairnError `MalformedXML`
 */
export function readXml(bytes: Uint8Array, root: string): ReadElement {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw s3Error('MalformedXML', undefined, {}, { cause })
  }
  // Limits the parser's work before it starts. No S3 request needs a document type.
  if (/<!DOCTYPE/i.test(text) || text.split('<', 2 * maxElements + 1).length > 2 * maxElements) {
    throw s3Error('MalformedXML')
  }
  let element: XmlElement | null
  try {
    element = parseXml(text).root
  } catch (cause) {
    throw s3Error('MalformedXML', undefined, {}, { cause })
  }
  if (element === null || localName(element) !== root) throw s3Error('MalformedXML', `The root element is not ${root}.`)
  return toElement(element)
}

function toElement(element: XmlElement): ReadElement {
  const all = (name: string): ReadElement[] => {
    const found: ReadElement[] = []
    for (const child of element.children) {
      if (child instanceof XmlElement && localName(child) === name) found.push(toElement(child))
    }
    return found
  }
  return {
    name: localName(element),
    text: element.text,
    get childNames() {
      return element.children.flatMap((child) => (child instanceof XmlElement ? [localName(child)] : []))
    },
    all,
    textOf: (name) => all(name)[0]?.text,
  }
}

function localName({ name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1)
}
