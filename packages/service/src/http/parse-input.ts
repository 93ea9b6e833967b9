import {
  CairnError,
  type CallArguments,
  type CallDefinition,
  describeIssue,
  describeRule,
  type ErrorCode,
  errorTable,
  findRule,
  isRecord,
  type Reason,
  restoreError,
  type Schema,
} from '@cairn/protocol'
import type { FastifyRequest } from 'fastify'
import * as v from 'valibot'

/** One problem of a request; `sentence` also names the field and the value, `message` only the rule. */
type Issue = { field: string; message: string; sentence: string; rule?: Reason | undefined }

/** Codes whose message a schema may use, so that the message identifies the code. */
const codesBySentence = new Map<string, ErrorCode>(
  (['INVALID_CID', 'INVALID_ADDRESS', 'INVALID_LABEL'] as const).map((code) => [errorTable[code].message, code]),
)

/** An escaped NUL in JSON: its escape sequence, not preceded by an unpaired backslash. */
const nulInJson = /(?<!\\)(?:\\\\)*\\u0000/

/**
 * No text of a query or body needs a NUL, and PostgreSQL rejects it, which would fail half-way. Paths contain ids and
 * names, which their readers validate.
 */
function refuseNul({ url, cairnBody = '' }: FastifyRequest): void {
  const [, query = ''] = url.split(/\?(.*)/s)
  const parameter = query.split('&').find((one) => one.includes('%00'))
  if (parameter === undefined && !nulInJson.test(cairnBody)) return
  const where = parameter === undefined ? 'a string of the body' : `query.${parameter.split(/=|%00/, 1)}`
  throw new CairnError('INVALID_REQUEST', { message: `The request is not valid: ${where} contains a NUL character` })
}

/**
 * Parses a request by the schemas of the call.
 * @throws CairnError INVALID_REQUEST with all problems in `details.issues`, or the code whose message a schema used
 */
export function parseInput<C extends CallDefinition>(call: C, request: FastifyRequest): CallArguments<C> {
  refuseNul(request)
  const issues: Issue[] = []
  const input: Record<string, unknown> = {}
  const parse = (part: string, schema: Schema | undefined, value: unknown): void => {
    if (schema === undefined) return
    const result = v.safeParse(schema, value)
    if (result.success) input[part] = result.output
    else
      for (const issue of result.issues)
        issues.push(readIssue(issue, [part, v.getDotPath(issue)].filter(Boolean).join('.')))
  }
  const { params } = request
  parse('params', call.params, isRecord(params) ? renameRest(call, params) : {})
  parse('query', call.query, request.query)
  parse('headers', call.headers, request.headers)
  if (call.body?.kind === 'json') {
    requireJson(request)
    // Every body is an object, and the library treats a list as an object without properties.
    if (Array.isArray(request.body)) issues.push(listIssue(request.body))
    else parse('body', call.body.schema, request.body)
  }
  if (issues.length > 0) throw describe(call, issues)
  // The schemas produced it: the one place where their types meet the untyped parts of Fastify.
  return input as CallArguments<C>
}

/** A body of another type is not read, and "body is required" would mislead its sender. @throws CairnError UNSUPPORTED_MEDIA_TYPE */
function requireJson({ body, headers }: FastifyRequest): void {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  if (body !== undefined || (encoding === undefined && Number(length) === 0)) return
  // A body of blanks is empty.
  if (type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json') return
  throw new CairnError('UNSUPPORTED_MEDIA_TYPE', {
    message: `The body must be JSON, but is sent ${type === undefined ? 'without a content type' : `as ${JSON.stringify(type.slice(0, 100))}`}`,
    hint: 'Send the header Content-Type: application/json.',
  })
}

/** Fastify calls the rest of a path `*`; the call has a name for it. */
function renameRest(call: CallDefinition, params: Record<string, unknown>): Record<string, unknown> {
  const rest = /\{(\w+)\*\}$/.exec(call.path)?.[1]
  if (rest === undefined) return params
  const { '*': value, ...others } = params
  return { ...others, [rest]: value }
}

function readIssue(issue: v.BaseIssue<unknown>, field: string): Issue {
  return { field, message: describeRule(issue), sentence: describeIssue(issue, field), rule: findRule(issue) }
}

function listIssue({ length }: unknown[]): Issue {
  const message = 'must be an object'
  return { field: 'body', message, sentence: `body ${message}, but is a list of ${length}` }
}

function describe(call: CallDefinition, issues: Issue[]): CairnError {
  const details = { issues: issues.slice(0, 50).map(({ field, message }) => ({ field, message })) }
  for (const issue of issues) {
    const code = codesBySentence.get(issue.message)
    if (code !== undefined) return restoreError(code, { details })
  }
  const listed = issues
    .slice(0, 3)
    .map(({ sentence }) => sentence)
    .join('; ')
  // Problems of conditions have one code, and one message that published clients know.
  if (call.errors.includes('INVALID_CONDITION')) {
    const [{ field = '', rule } = {}] = issues
    return new CairnError('INVALID_CONDITION', {
      message: `Condition validation error: ${listed}`,
      details: { ...details, field, ...rule },
    })
  }
  return new CairnError('INVALID_REQUEST', { message: `The request is not valid: ${listed}`, details })
}
