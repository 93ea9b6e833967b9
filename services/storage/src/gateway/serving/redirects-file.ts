import { CairnError } from '@cairn/protocol'

/** Maximum size of a `_redirects` file, in bytes. */
export const maxRedirectsFile = 64 * 1024
/** Maximum length of the address that a rule makes, in characters: a rule can repeat a part of the path thousands of times. */
const maxTargetCharacters = 16_384

/** An error in the file of a site. Its owner can fix it, the operator cannot. */
export class RedirectsFileError extends Error {
  override readonly name = 'RedirectsFileError'
}

/** Returns the error for a bad file. The specification requires 500: the error is in the site, not in the request. */
export function badRedirects(reason: string): CairnError {
  return new CairnError('INTERNAL', {
    message: `could not parse _redirects: ${reason}`,
    hint: 'Contact the owner of this site.',
    cause: new RedirectsFileError(reason),
  })
}

/** Result of applying a rule to a path. */
export type Redirect = { to: string; status: number }

type Rule = { from: readonly string[]; to: string; status: number }

const statuses = new Set([200, 301, 302, 303, 307, 308, 404, 410, 451])

/**
 * Parses a `_redirects` file: one rule per line, `from to [status]`; `#` starts a comment.
 * @throws CairnError INTERNAL, as the specification requires, for a file with an invalid line
 * @see https://specs.ipfs.tech/http-gateways/web-redirects-file/
 */
export function parseRedirects(text: string): Rule[] {
  const rules: Rule[] = []
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const [from = '', to = '', code = '301', ...rest] = line.split(/\s+/).filter((word) => !word.startsWith('#'))
    const fail = (reason: string) => badRedirects(`line ${index + 1}: ${reason}`)
    if (to === '' || rest.length > 0) throw fail('it must be "from to [status]"')
    if (code.endsWith('!')) throw fail('forced redirects (or "shadowing") are not supported')
    const status = Number(code)
    if (!/^\d{3}$/.test(code) || !statuses.has(status)) throw fail(`status ${JSON.stringify(code)} is not supported`)
    if (!from.startsWith('/')) throw fail('"from" must begin with a slash')
    if (!/^(?:\/|(?:https?|ip[fn]s):\/\/)/.test(to)) throw fail('"to" must be a path or an http or ipfs address')
    if (!to.startsWith('/') && (status < 300 || status > 399)) throw fail('only redirects can point to other hosts')
    if (from.includes('*') && !from.endsWith('/*')) throw fail('a splat is allowed only at the end')
    // A path that is asked for has no empty name at its end.
    const parts = from.replace(/\/$/, '').split('/').slice(1)
    const names = parts.filter((part) => part.startsWith(':') && part.length > 1)
    if (new Set(names).size < names.length) throw fail('"from" has two placeholders of one name')
    rules.push({ from: parts, to, status })
  }
  return rules
}

/**
 * Applies the first matching rule to a path; placeholders and the splat are inserted percent-encoded.
 * @throws CairnError INTERNAL, as for a bad file, for a rule that makes too long an address
 */
export function applyRules(rules: readonly Rule[], path: string): Redirect | undefined {
  const parts = path.split('/').slice(1)
  const encoded = parts.map(encodeURIComponent)
  for (const rule of rules) {
    const values = matchRule(rule.from, parts, encoded)
    if (values !== undefined) return { to: insertValues(rule.to, values), status: rule.status }
  }
  return undefined
}

function insertValues(to: string, values: ReadonlyMap<string, string>): string {
  let length = 0
  const pieces: string[] = []
  for (const piece of to.split(/(:[A-Za-z_][A-Za-z0-9_]*)/)) {
    const inserted = (piece.startsWith(':') ? values.get(piece.slice(1)) : undefined) ?? piece
    length += inserted.length
    if (length > maxTargetCharacters)
      throw badRedirects(`the address that a rule makes cannot exceed ${maxTargetCharacters} characters`)
    pieces.push(inserted)
  }
  return pieces.join('')
}

/**
 * Adds the query of a request to the target of a redirect. Of parameters that both have, those of the request count.
 * @param search of the request, with its question mark, or empty
 * @see https://specs.ipfs.tech/http-gateways/web-redirects-file/#query-parameters
 */
export function keepQuery(to: string, search: string): string {
  const asked = new URLSearchParams(search)
  if (asked.size === 0) return to
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(to) ?? []
  const names = new Set(asked.keys())
  const merged = new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => !names.has(name)))
  for (const [name, value] of asked) merged.append(name, value)
  return `${path}?${merged}${fragment}`
}

function matchRule(
  from: readonly string[],
  parts: readonly string[],
  encoded: readonly string[],
): Map<string, string> | undefined {
  const values = new Map<string, string>()
  for (const [index, pattern] of from.entries()) {
    if (pattern === '*' && index === from.length - 1 && parts.length > index) {
      values.set('splat', encoded.slice(index).join('/'))
      return values
    }
    const [part, ofPart] = [parts[index], encoded[index]]
    if (part === undefined || ofPart === undefined) return undefined
    if (pattern.startsWith(':') && pattern.length > 1) values.set(pattern.slice(1), ofPart)
    else if (pattern !== part && pattern !== ofPart) return undefined
  }
  return parts.length === from.length ? values : undefined
}
