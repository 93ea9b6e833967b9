const maxCauses = 5

/** The part of an address after `#`: it contains the keys of links. */
const fragment = /(\w:\/\/[^\s#'"]*)#[^\s'")]*/g
/** Text as long as keys, tokens and signatures; no name in the code is. */
const secret = /[\w+=-]{40,}/g

/**
 * Describes a failure of the page for the browser's log: what failed, why, and where. As text, because programs that read the log
 * of Firefox see nothing of an error object except the word `Error`. Omits secrets: fragments of addresses, and text as long as a
 * key.
 * @param place the components around the failure, as React names them
 */
export function describeFailure(what: string, error: unknown, place = ''): string {
  const lines = [`${what}: ${describe(error)}`]
  let cause = causeOf(error)
  while (cause !== undefined && lines.length <= maxCauses) {
    lines.push(`Caused by: ${describe(cause)}`)
    cause = causeOf(cause)
  }
  // Chromium repeats the message here, Firefox does not.
  if (error instanceof Error && error.stack !== undefined) lines.push(error.stack.trim())
  if (place !== '') lines.push(`Component stack:\n${place.trim()}`)
  return lines.join('\n').replaceAll(fragment, '$1#…').replaceAll(secret, '…')
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}
