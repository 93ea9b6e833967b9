/**
 * Parses XML from a file that anyone may have made. Nothing in it runs or is fetched: it is data, from which elements of the
 * page are created one by one. Entities are not defined in documents of offices, so a document type is refused.
 * @throws RangeError
 */
export function parseXml(bytes: Uint8Array): Element {
  const text = new TextDecoder().decode(bytes)
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new RangeError('XML with a document type')
  const document = new DOMParser().parseFromString(text, 'application/xml')
  if (document.querySelector('parsererror') !== null) throw new RangeError('damaged XML')
  return document.documentElement
}

/** Returns the elements in an element, by their name without its prefix. */
export function childrenOf(element: Element | undefined, ...names: string[]): Element[] {
  return [...(element?.children ?? [])].filter(({ localName }) => names.includes(localName))
}

export function childOf(element: Element | undefined, ...path: string[]): Element | undefined {
  let at = element
  for (const name of path) at = childrenOf(at, name)[0]
  return at
}

/** Returns the elements of a name anywhere below. */
export function below(element: Element | undefined, name: string): Element[] {
  return element === undefined ? [] : [...element.getElementsByTagNameNS('*', name)]
}

/** Returns an attribute by its name without its prefix: files name the same one with several. */
export function attribute(element: Element | undefined, name: string): string | undefined {
  return [...(element?.attributes ?? [])].find(({ localName }) => localName === name)?.value
}
