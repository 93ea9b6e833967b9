import * as v from 'valibot'
import { s3Error } from '../s3-error.ts'

/** A CORS rule of a bucket. */
export type CorsRule = {
  id: string | undefined
  origins: readonly string[]
  methods: readonly string[]
  headers: readonly string[]
  exposed: readonly string[]
  maxAgeSeconds: number | undefined
}

const textsSchema = v.array(v.string())
const rulesSchema = v.array(
  v.object({
    id: v.optional(v.string()),
    origins: textsSchema,
    methods: textsSchema,
    headers: textsSchema,
    exposed: textsSchema,
    maxAgeSeconds: v.optional(v.number()),
  }),
)

/** Reads the rules of a bucket's row. */
export function readCorsRules(json: string | null): CorsRule[] {
  if (json === null) return []
  return v.parse(rulesSchema, JSON.parse(json)).map((rule) => ({ id: undefined, maxAgeSeconds: undefined, ...rule }))
}

/**
 * Returns the headers that allow a browser to use the response; undefined if no rule allows it.
 * @param asked headers that a preflight requests; undefined for the request itself
 */
export function corsHeaders(
  rules: readonly CorsRule[],
  origin: string,
  method: string,
  asked?: readonly string[],
): Record<string, string> | undefined {
  const isOpen = (rule: CorsRule) => rule.origins.some((pattern) => matchesPattern(pattern, origin))
  const allows = (rule: CorsRule) =>
    (asked ?? []).every((name) =>
      rule.headers.some((pattern) => matchesPattern(pattern.toLowerCase(), name.toLowerCase())),
    )
  const rule = rules.find((one) => isOpen(one) && one.methods.includes(method) && allows(one))
  if (rule === undefined) return undefined
  const isAny = rule.origins.includes('*')
  return {
    'access-control-allow-origin': isAny ? '*' : origin,
    'access-control-allow-methods': rule.methods.join(', '),
    ...(isAny ? {} : { 'access-control-allow-credentials': 'true' }),
    ...(rule.exposed.length === 0 ? {} : { 'access-control-expose-headers': rule.exposed.join(', ') }),
    ...(asked === undefined || asked.length === 0 ? {} : { 'access-control-allow-headers': asked.join(', ') }),
    ...(rule.maxAgeSeconds === undefined ? {} : { 'access-control-max-age': String(rule.maxAgeSeconds) }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  }
}

/** A pattern contains at most one star, which matches any text. */
function matchesPattern(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*')
  if (star === -1) return pattern === text
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)]
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end)
}

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD']
const maxRules = 100
const maxTexts = 100
const maxTextCharacters = 300

/** @throws CairnError `InvalidRequest`, `MalformedXML` for rules that S3 would reject */
export function requireCorsRules(rules: CorsRule[]): CorsRule[] {
  if (rules.length === 0 || rules.length > maxRules) throw s3Error('MalformedXML', `Send 1 to ${maxRules} rules.`)
  for (const { origins, methods: named, headers, exposed } of rules) {
    if (origins.length === 0 || named.length === 0) throw s3Error('MalformedXML')
    const wrong = named.find((method) => !methods.includes(method))
    if (wrong !== undefined)
      throw s3Error('InvalidRequest', `Found unsupported HTTP method in CORS config: ${wrong.slice(0, 32)}`)
    for (const list of [origins, headers, exposed]) {
      const isGood =
        list.length <= maxTexts &&
        list.every((one) => one.length <= maxTextCharacters && one.split('*').length <= 2 && /^[\x21-\x7e]+$/.test(one))
      if (!isGood) throw s3Error('InvalidRequest', 'An origin or header is too long, or has more than one wildcard.')
    }
  }
  return rules
}
