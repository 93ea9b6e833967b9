import { parseName } from '@cairn/names'
import { CairnError, MIB, withoutTrailing } from '@cairn/protocol'
import * as v from 'valibot'
import { parse as parseYaml } from 'yaml'
import { readCidText } from '../content/parse-cid.ts'
import { readDoubleHash } from './double-hash.ts'
import { keyOfCid, keyOfDomain, keyOfName } from './rule-keys.ts'

/** Maximum header and line of a list, in bytes. @see https://specs.ipfs.tech/compact-denylist-format/ */
const maxHeaderBytes = MIB
const maxLineBytes = 2 * MIB

/** HTTP status of denied content: 410 Gone, or 451 Unavailable For Legal Reasons. */
export type DeniedStatus = 410 | 451

type RuleBase = {
  /** Later rules take precedence over earlier ones. */
  isAllowed: boolean
  status: DeniedStatus
}
/** A rule for content or a name, and a path below it. */
export type PathRule = RuleBase & {
  kind: 'path'
  /** Key from the functions of `rule-keys.ts`. */
  key: string
  path: string
  /** This path only, every path that starts with its characters, or this path and those below it. */
  covers: 'path' | 'prefix' | 'below'
}
/** A rule by hash, which does not reveal the denied content. */
export type HashRule = RuleBase & {
  kind: 'hash'
  /** The hash function, by its multihash code; `legacy` is SHA-256 of the CID in base32. */
  hash: number | 'legacy'
  /** Digest in hex. */
  digest: string
}
export type DenylistRule = PathRule | HashRule

/** A parsed list. */
export type ParsedDenylist = {
  name: string | undefined
  rules: DenylistRule[]
  /** Invalid lines, by their number from 1. They do not affect the other lines. */
  failures: { line: number; problem: string }[]
}

const hints = v.optional(v.nullable(v.record(v.string(), v.unknown())))
const headerSchema = v.nullable(
  v.looseObject({ version: v.optional(v.unknown()), name: v.optional(v.unknown()), hints }),
)

/**
 * Parses a denylist in the compact format. Invalid lines are reported and skipped.
 * @param star what a star after a slash covers. In the format, the slash changes nothing: `sub/*` covers `subway`, too.
 * @throws CairnError INVALID_CONFIGURATION for a header that is not YAML, or has a version other than 1
 * @see https://specs.ipfs.tech/compact-denylist-format/
 */
export function parseDenylist(text: string, star: 'prefix' | 'below' = 'prefix'): ParsedDenylist {
  const { header, body, firstLine } = splitHeader(text)
  const rules: DenylistRule[] = []
  const failures: ParsedDenylist['failures'] = []
  let line = firstLine
  for (const whole of body.split('\n')) {
    const number = line++
    const trimmed = whole.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    try {
      if (Buffer.byteLength(whole) >= maxLineBytes) throw new Error('it is longer than 2 MiB')
      rules.push(...parseRule(trimmed, header.status, star))
    } catch (error) {
      failures.push({ line: number, problem: error instanceof Error ? error.message : 'it is not a rule' })
    }
  }
  return { name: header.name, rules, failures }
}

function splitHeader(text: string) {
  // The lines of an oversized header are parsed as rules, and each is reported as invalid.
  const end = /(?:^|\n)---[ \t\r]*(?:\n|$)/.exec(text.slice(0, maxHeaderBytes))
  if (end === null) return { header: { name: undefined, status: 410 as const }, body: text, firstLine: 1 }
  const head = text.slice(0, end.index)
  const bodyStart = end.index + end[0].length
  const firstLine = text.slice(0, bodyStart).split('\n').length
  return { header: readHeader(head), body: text.slice(bodyStart), firstLine }
}

function readHeader(head: string): { name: string | undefined; status: DeniedStatus } {
  let read: v.InferOutput<typeof headerSchema>
  try {
    read = v.parse(headerSchema, parseYaml(head) ?? null)
  } catch (cause) {
    throw invalid('The header of the denylist is not YAML', cause)
  }
  const { version = 1, name, hints: global } = read ?? {}
  if (version !== 1) throw invalid(`The denylist has version ${String(version)}, only version 1 is supported`)
  return { name: typeof name === 'string' ? name : undefined, status: readStatus(global?.['gateway_status']) ?? 410 }
}

function invalid(message: string, cause?: unknown): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message,
    hint: 'Ask the publisher to correct the list, or remove it.',
    cause,
  })
}

/** Parses the status of a `gateway_status` hint. */
function readStatus(value: unknown): DeniedStatus | undefined {
  if (String(value) === '451') return 451
  return String(value) === '410' ? 410 : undefined
}

/** Parses a line. An ambiguous double hash becomes two rules. @throws Error with the reason */
function parseRule(line: string, listStatus: DeniedStatus, star: 'prefix' | 'below'): DenylistRule[] {
  const [item = '', ...itemHints] = line.split(/[ \t]+/)
  const ownHint = itemHints.findLast((hint) => hint.startsWith('gateway_status:'))
  const isAllowed = item.startsWith('!')
  const base = { isAllowed, status: readStatus(ownHint?.slice('gateway_status:'.length)) ?? listStatus }
  const target = isAllowed ? item.slice(1) : item
  if (target.startsWith('//')) {
    return readDoubleHash(target.slice(2)).map((hashed) => ({ kind: 'hash', ...base, ...hashed }))
  }
  const [, namespace = '', root = '', rest = ''] = /^\/(ipfs|ipns)\/([^/]+)(\/.*)?$/.exec(target) ?? []
  if (root === '') throw new Error('it is neither /ipfs/…, /ipns/… nor //…')
  const key = namespace === 'ipfs' ? keyOfContent(root) : keyOfAnyName(root)
  return [{ kind: 'path', ...base, key, ...readRulePath(rest, star) }]
}

function readRulePath(rest: string, star: 'prefix' | 'below'): Pick<PathRule, 'path' | 'covers'> {
  const hasStar = rest.endsWith('*')
  const encoded = withoutTrailing((hasStar ? rest.slice(0, -1) : rest).replace(/^\/+/, ''), '/')
  const covers = hasStar ? (rest.endsWith('/*') ? star : 'prefix') : 'path'
  try {
    return { path: decodeURIComponent(encoded), covers }
  } catch (cause) {
    throw new Error('its path is not percent-encoded UTF-8', { cause })
  }
}

function keyOfContent(text: string): string {
  const cid = readCidText(text)
  if (cid === undefined) throw new Error(`${text.slice(0, 100)} is not a CID`)
  return keyOfCid(cid)
}

function keyOfAnyName(text: string): string {
  // A domain contains a dot, a key does not.
  if (text.includes('.')) return keyOfDomain(text)
  return keyOfName(parseName(text))
}
