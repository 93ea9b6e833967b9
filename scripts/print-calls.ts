import { type CallDefinition, commonErrors, type Schema } from '@cairn/protocol'
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema'

const hosts = {
  api: 'storage service',
  gateway: 'gateway',
  keys: 'key node, key router',
  provider: 'storage provider',
  metrics: 'metrics listener',
} as const satisfies Record<CallDefinition['host'], string>

const auths = {
  none: 'no login',
  apiKey: 'API key',
  optionalApiKey: 'API key, optional',
  session: 'session key',
  providerKey: 'key of the provider',
  peer: 'token of another key node',
} as const satisfies Record<CallDefinition['auth'], string>

/** Prints the reference of all calls, by subject. */
export function printCalls(calls: readonly CallDefinition[]): string {
  const subjects = [...Map.groupBy(calls, ({ tag }) => tag)]
  const codes = commonErrors.map((code) => `\`${code}\``).join(', ')
  return `# HTTP calls

Look up every call of every service. [openapi.json](openapi.json) contains the same as an OpenAPI 3.1 document. A running storage service serves it at \`/openapi.json\`; at \`/docs\`, you can try the calls in a browser.

Send an API key or session key as \`Authorization: Bearer KEY\`. Types are written as in TypeScript. Unless the name states another unit, sizes are in bytes, and times are in milliseconds since 1970.

Any call can also return ${codes}. [Errors](errors.md) describes each code.

Each call has a rate limit per caller, or per IP address if it needs no login. Responses state the limit: \`RateLimit-Policy: "listFiles";q=6000;w=60\` means that 6,000 calls per minute are allowed. \`RateLimit: "listFiles";r=5999;t=1\` means that 5,999 calls are left, and that all are available again in one second. A call beyond the limit is rejected with \`RATE_LIMITED\` and \`Retry-After\`. Operators can change all limits with \`CAIRN_RATE_FACTOR\`; with 0, there are no limits and no such headers.

${subjects.map(([tag, own]) => `## ${tag}\n\n${own.map(printCall).join('\n\n')}`).join('\n\n')}
`
}

function printCall(call: CallDefinition): string {
  const facts = [
    ['served by', hosts[call.host]],
    ['login', call.scope === undefined ? auths[call.auth] : `${auths[call.auth]} with \`${call.scope}\``],
    ['path', printFields(call.params)],
    ['query', printFields(call.query)],
    ['headers', printFields(call.headers)],
    ['errors', own(call).join(', ')],
  ].filter(([, text]) => text !== '')
  return [
    `### ${call.summary}`,
    `\`${call.method} ${call.path.replace('*}', '}')}\``,
    ...(call.description === undefined ? [] : [escapeMarkdown(call.description)]),
    facts.map(([name, text]) => `- ${name}: ${text}`).join('\n'),
    ...printBody(call),
    ...printAnswer(call),
  ].join('\n\n')
}

const own = ({ errors }: CallDefinition): string[] =>
  [...new Set(errors)].filter((code) => !commonErrors.some((common) => common === code)).map((code) => `\`${code}\``)

function printBody({ body }: CallDefinition): string[] {
  if (body === undefined) return []
  if (body.kind === 'json')
    return [`Body, JSON${body.acceptsForm === true ? ' or a form' : ''}:`, printFence(body.schema)]
  const type = body.kind === 'multipart' ? 'multipart/form-data' : body.mediaType
  return [`Body, \`${type}\`: ${escapeMarkdown(body.description)}`]
}

function printAnswer(call: CallDefinition): string[] {
  const others = Object.entries(call.otherStatuses ?? {})
  const list = others.map(([status, when]) => `- ${status}: ${escapeMarkdown(when)}`).join('\n')
  return [...printSuccess(call), ...(list === '' ? [] : ['Other responses:', list])]
}

function printSuccess({ response, status = 200 }: CallDefinition): string[] {
  const note = response.description === undefined ? '' : `: ${escapeMarkdown(response.description)}`
  if (response.kind === 'json')
    return [`Response ${status}, JSON${note}${note === '' ? ':' : ''}`, printFence(response.schema)]
  const types = response.kind === 'bytes' ? (response.mediaTypes ?? []).filter((name) => name !== '*/*') : []
  const names = types.map((name) => ` \`${name}\``).join(' or')
  const type = `${{ text: 'text', bytes: 'bytes', none: 'without a body' }[response.kind]}${names === '' ? '' : ` of type${names}`}`
  return [`Response ${status}, ${type}${note}${/[.:]$/.test(note) ? '' : '.'}`]
}

function printFields(schema: Schema | undefined): string {
  if (schema === undefined) return ''
  const { properties = {}, required = [] } = convert(schema)
  return Object.keys(properties)
    .map((name) => `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`)
    .join(', ')
}

const printFence = (schema: Schema): string => `\`\`\`ts\n${printType(convert(schema))}\n\`\`\``

function convert(schema: Schema): JsonSchema {
  return toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' })
}

/** Prints a type as TypeScript does, without the rules for its values. */
function printType(schema: JsonSchema | boolean, indent = ''): string {
  if (typeof schema === 'boolean') return 'unknown'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return options.map((option) => printType(option, indent)).join(' | ')
  if (schema.type === 'array') return printArray(schema, indent)
  if (schema.type === 'object') return printObject(schema, indent)
  if (schema.type === 'integer') return 'number'
  return typeof schema.type === 'string' ? schema.type : 'unknown'
}

function printArray({ items }: JsonSchema, indent: string): string {
  if (items === undefined) return 'unknown[]'
  if (Array.isArray(items)) return `[${items.map((item) => printType(item, indent)).join(', ')}]`
  const item = printType(items, indent)
  return /^[^{]* \| /.test(item) ? `(${item})[]` : `${item}[]`
}

function printObject({ properties = {}, required = [], additionalProperties }: JsonSchema, indent: string): string {
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(
    ([name, value]) =>
      `${inner}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${printType(value, inner)}`,
  )
  if (fields.length > 0) return `{\n${fields.join('\n')}\n${indent}}`
  return `Record<string, ${additionalProperties === undefined ? 'unknown' : printType(additionalProperties, indent)}>`
}

/** Text of a definition is prose: only its code is markup. */
function escapeMarkdown(text: string): string {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? `\`${part}\`` : part.replace(/[<{*_[\]]/g, '\\$&')))
    .join('')
}
