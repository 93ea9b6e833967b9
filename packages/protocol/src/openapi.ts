import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import { type CallDefinition, commonErrors, type Schema } from './call.ts'
import { createApiKey } from './calls/accounts.ts'
import { fileEntrySchema } from './calls/files.ts'
import { saveShard } from './calls/keys.ts'
import { revokeLink } from './calls/links.ts'
import { getName } from './calls/names.ts'
import { listPayments } from './calls/payments.ts'
import { getPin } from './calls/pinning.ts'
import { listChecks } from './calls/proofs.ts'
import { challengeAnswerSchema, challengePiece, pieceStatusSchema } from './calls/provider.ts'
import { getS3Bucket } from './calls/s3.ts'
import { allCalls } from './calls.ts'
import { codeHeader, requestIdHeader, statusOf } from './errors/dialects.ts'
import { type ErrorCode, errorTable } from './errors/error-table.ts'
import { shardSetSchema } from './schemas/shards.ts'

type Json = Record<string, unknown>

/** Schemas of several calls. The document contains each once, under its name. */
const sharedSchemas: Record<string, Schema> = {
  ChallengeAnswer: challengeAnswerSchema,
  ChangeResult: saveShard.response.schema,
  FileEntry: fileEntrySchema,
  FileLink: revokeLink.response.schema,
  LeafWindows: challengePiece.body.schema.entries.within.wrapped,
  NameState: getName.response.schema,
  NewApiKey: createApiKey.body.schema,
  Payment: listPayments.response.schema.entries.payments.item,
  PieceStatus: pieceStatusSchema,
  PinStatus: getPin.response.schema,
  PossessionCheck: listChecks.response.schema.entries.checks.item,
  S3Bucket: getS3Bucket.response.schema,
  ShardSet: shardSetSchema,
}

// Transforms and checks have no JSON Schema: the document describes the form of the input, the server checks the rest.
const conversion: ConversionConfig = {
  // The dialect of OpenAPI 3.1: the forms of earlier drafts, such as arrays in `items`, are not part of it.
  target: 'draft-2020-12',
  typeMode: 'input',
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema({ valibotSchema, jsonSchema }) {
    // Without a format, clients in other languages choose a type in which sizes and times in milliseconds lose digits.
    if (valibotSchema.type === 'number' && jsonSchema.type === 'number') return { ...jsonSchema, format: 'double' }
    // Without a type, generators write no type for a constant, or code that does not parse for an optional `true`.
    const type = typeof jsonSchema.const
    return type === 'string' || type === 'boolean' ? { ...jsonSchema, type } : undefined
  },
  overrideAction: ({ jsonSchema }) => (jsonSchema.type === 'integer' ? { ...jsonSchema, format: 'int64' } : undefined),
}

/**
 * Returns the OpenAPI 3.1 document of the given calls. A separate entry point, so that client bundles do not contain
 * it.
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function toOpenApi(
  options: { version: string; servers?: { url: string; description: string }[] },
  calls = allCalls,
): Json {
  const shared = createShared(calls)
  const paths: Record<string, Json> = {}
  for (const call of calls) {
    const path = call.path.replace('*}', '}')
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(call, shared) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Cairn',
      version: options.version,
      description: 'Decentralised file storage. Errors carry a stable code in the header X-Cairn-Code.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: options.servers ?? [{ url: '/' }],
    tags: [...new Set(calls.map((call) => call.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key from POST /api/auth/create_api_key' },
        session: {
          type: 'http',
          scheme: 'bearer',
          description: 'A session token from a key node or from POST /api/message/get-jwt',
        },
        providerKey: { type: 'http', scheme: 'bearer', description: 'The key of a storage provider' },
        peer: { type: 'http', scheme: 'bearer', description: 'A token that another key node signed for this one' },
      },
      schemas: {
        ErrorCode: { type: 'string', enum: Object.keys(errorTable) },
        ...toJsonSchemaDefs(sharedSchemas, conversion),
      },
      parameters: shared.parameters.components,
      headers: { RequestId: { schema: { type: 'string' } } },
      responses: shared.responses.components,
    },
  }
}

/** Parts of the document that several calls use. `refer` returns a reference to a part, under a name of its own. */
type Parts = { components: Json; refer: (part: Json, name: string) => Json }
type Shared = { parameters: Parts; repeatedParameters: ReadonlySet<string>; responses: Parts }

function createShared(calls: readonly CallDefinition[]): Shared {
  const all = calls.flatMap(parametersOf).map((parameter) => JSON.stringify(parameter))
  return {
    parameters: createParts('parameters'),
    repeatedParameters: new Set(all.filter((text, at) => all.indexOf(text) !== at)),
    responses: createParts('responses'),
  }
}

function createParts(kind: string): Parts {
  const components: Json = {}
  const names = new Map<string, string>()
  return {
    components,
    refer(part, name) {
      const text = JSON.stringify(part)
      let known = names.get(text)
      if (known === undefined) {
        // Different parts of one name are numbered.
        known = name
        for (let number = 2; known in components; number++) known = `${name}${number}`
        names.set(text, known)
        components[known] = part
      }
      return { $ref: `#/components/${kind}/${known}` }
    },
  }
}

function operation(call: CallDefinition, shared: Shared): Json {
  return {
    operationId: call.id,
    tags: [call.tag],
    summary: call.summary,
    ...(call.description === undefined ? {} : { description: call.description }),
    security: securityOf(call),
    ...(call.host === 'api' ? {} : { 'x-cairn-host': call.host }),
    parameters: parametersOf(call).map((parameter) =>
      shared.repeatedParameters.has(JSON.stringify(parameter)) && !isUnion(parameter.schema)
        ? shared.parameters.refer(parameter, `${toPascal(parameter.name)}In${toPascal(parameter.in)}`)
        : parameter,
    ),
    ...(call.body === undefined ? {} : { requestBody: requestBody(call.body) }),
    responses: responses(call, shared.responses),
  }
}

function securityOf(call: CallDefinition): Json[] {
  if (call.auth === 'none') return []
  const scopes = call.scope === undefined ? [] : [call.scope]
  // An empty requirement next to others makes them optional.
  if (call.auth === 'optionalApiKey') return [{}, { apiKey: scopes }]
  return [{ [call.auth]: call.auth === 'apiKey' ? scopes : [] }]
}

type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: unknown }

function parametersOf(call: CallDefinition): Parameter[] {
  return [...parameters('path', call.params), ...parameters('query', call.query), ...parameters('header', call.headers)]
}

function parameters(where: Parameter['in'], schema: Schema | undefined): Parameter[] {
  if (schema === undefined) return []
  const object = jsonSchema(schema)
  const required = Array.isArray(object['required']) ? object['required'] : []
  const properties = isJson(object['properties']) ? object['properties'] : {}
  const entries = 'entries' in schema && isJson(schema.entries) ? schema.entries : {}
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: integerParameter(property, entries[name]) ?? property,
  }))
}

/** A parameter is text on the wire; one that the service reads as a whole number is an integer to clients. */
function integerParameter(property: unknown, entry: unknown): Json | undefined {
  if (!isJson(entry) || !isJson(property)) return undefined
  if (isJson(entry['wrapped'])) return integerParameter(property, entry['wrapped'])
  const pipe = Array.isArray(entry['pipe']) ? entry['pipe'].filter(isJson) : []
  const at = pipe.findIndex((action) => action['type'] === 'transform' && action['operation'] === Number)
  const digits = /^\^\\d\{1,(\d+)\}\$$/.exec(String(property['pattern']))?.[1]
  if (at === -1 || digits === undefined) return undefined
  const bound = (type: string) => pipe.slice(at).find((action) => action['type'] === type)?.['requirement']
  return {
    type: 'integer',
    format: 'int64',
    minimum: bound('min_value') ?? 0,
    maximum: bound('max_value') ?? Math.min(10 ** Number(digits) - 1, Number.MAX_SAFE_INTEGER),
    ...('default' in property ? { default: Number(property['default']) } : {}),
  }
}

/** Generators of clients name the types of a union after its parameter only where an operation contains it. */
function isUnion(schema: unknown): boolean {
  return isJson(schema) && 'anyOf' in schema
}

function requestBody(body: NonNullable<CallDefinition['body']>): Json {
  if (body.kind === 'json') {
    const content = { schema: jsonSchema(body.schema) }
    const form = body.acceptsForm === true ? { 'application/x-www-form-urlencoded': content } : {}
    return { required: true, content: { 'application/json': content, ...form } }
  }
  if (body.kind === 'bytes') {
    return {
      required: true,
      description: body.description,
      content: { [body.mediaType]: { schema: { type: 'string', format: 'binary' } } },
    }
  }
  return {
    required: true,
    description: body.description,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { file: { type: 'array', items: { type: 'string', format: 'binary' } } },
        },
      },
    },
  }
}

function responses(call: CallDefinition, errors: Parts): Json {
  const success = call.response
  const content =
    success.kind === 'json'
      ? { 'application/json': { schema: jsonSchema(success.schema) } }
      : success.kind === 'text'
        ? { [success.mediaType]: { schema: { type: 'string' } } }
        : success.kind === 'none'
          ? undefined
          : bytesContent(success.mediaTypes)
  const body = content === undefined ? {} : { content }
  const result: Record<string, Json> = {
    [call.status ?? 200]: { description: success.description ?? 'Done', ...body },
  }
  for (const [status, description] of Object.entries(call.otherStatuses ?? {})) {
    result[status] = { description, ...(status === '206' ? body : {}) }
  }
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set<ErrorCode>([...call.errors, ...commonErrors])) {
    const status = statusOf(call.dialect, code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    if (status === 0) continue
    result[status] = errors.refer(errorResponse(codes), nameOfResponse(codes))
  }
  return result
}

/** Generators of clients read a response by its first type, and bytes are right for each. */
function bytesContent(mediaTypes: readonly string[] = []): Json {
  const bytes = { schema: { type: 'string', format: 'binary' } }
  const types = mediaTypes.map((type) => [type, /[/+]json$/.test(type) ? {} : bytes])
  return { 'application/octet-stream': bytes, ...Object.fromEntries(types) }
}

function errorResponse(codes: readonly ErrorCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join('\n\n'),
    headers: {
      [codeHeader]: { schema: { type: 'string', enum: codes } },
      [requestIdHeader]: { $ref: '#/components/headers/RequestId' },
    },
  }
}

/** `Unavailable`, or `UnavailableOr2Others`. */
function nameOfResponse([first = '', ...others]: readonly string[]): string {
  const count = others.length
  return toPascal(first.toLowerCase()) + (count === 0 ? '' : count === 1 ? 'Or1Other' : `Or${count}Others`)
}

function toPascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function jsonSchema(schema: Schema): Json {
  const {
    $schema: _dialect,
    $defs: _definitions,
    ...rest
  } = toJsonSchema(schema, {
    ...conversion,
    definitions: sharedSchemas,
  })
  return rest
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
