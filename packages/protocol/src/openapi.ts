import { toJsonSchema } from '@valibot/to-json-schema'
import { type CallDefinition, commonErrors, type Schema } from './call.ts'
import { allCalls } from './calls.ts'
import { codeHeader, requestIdHeader, statusOf } from './dialects.ts'
import { type ErrorCode, errorTable } from './errors.ts'

type Json = Record<string, unknown>

/**
 * Returns the OpenAPI 3.1 document of the given calls. A separate entry point, so that client bundles do not contain
 * it.
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function toOpenApi(
  options: { version: string; servers?: { url: string; description: string }[] },
  calls = allCalls,
): Json {
  const paths: Record<string, Json> = {}
  for (const call of calls) {
    const path = call.path.replace('*}', '}')
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(call) }
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
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of POST /api/auth/create_api_key' },
        session: {
          type: 'http',
          scheme: 'bearer',
          description: 'A session token of a key node, or of POST /api/message/get-jwt',
        },
        providerKey: { type: 'http', scheme: 'bearer', description: 'The key of a storage provider' },
      },
      schemas: {
        ErrorCode: { type: 'string', enum: Object.keys(errorTable) },
      },
    },
  }
}

function operation(call: CallDefinition): Json {
  return {
    operationId: call.id,
    tags: [call.tag],
    summary: call.summary,
    ...(call.description === undefined ? {} : { description: call.description }),
    security: securityOf(call),
    ...(call.host === 'api' ? {} : { 'x-cairn-host': call.host }),
    parameters: [
      ...parameters('path', call.params),
      ...parameters('query', call.query),
      ...parameters('header', call.headers),
    ],
    ...(call.body === undefined ? {} : { requestBody: requestBody(call.body) }),
    responses: responses(call),
  }
}

function securityOf(call: CallDefinition): Json[] {
  if (call.auth === 'none') return []
  const scopes = call.scope === undefined ? [] : [call.scope]
  // An empty requirement next to others makes them optional.
  if (call.auth === 'optionalApiKey') return [{}, { apiKey: scopes }]
  return [{ [call.auth]: call.auth === 'apiKey' ? scopes : [] }]
}

function parameters(where: 'path' | 'query' | 'header', schema: Schema | undefined): Json[] {
  if (schema === undefined) return []
  const object = jsonSchema(schema)
  const required = Array.isArray(object['required']) ? object['required'] : []
  const properties = isJson(object['properties']) ? object['properties'] : {}
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }))
}

function requestBody(body: NonNullable<CallDefinition['body']>): Json {
  if (body.kind === 'json')
    return { required: true, content: { 'application/json': { schema: jsonSchema(body.schema) } } }
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

function responses(call: CallDefinition): Json {
  const success = call.response
  const content =
    success.kind === 'json'
      ? { 'application/json': { schema: jsonSchema(success.schema) } }
      : success.kind === 'text'
        ? { [success.mediaType]: { schema: { type: 'string' } } }
        : success.kind === 'none'
          ? undefined
          : { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
  const result: Record<string, Json> = {
    [call.status ?? 200]: { description: success.description ?? 'Done', ...(content === undefined ? {} : { content }) },
  }
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set<ErrorCode>([...call.errors, ...commonErrors])) {
    const status = statusOf(call.dialect, code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    if (status === 0) continue
    result[status] = {
      description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join('\n\n'),
      headers: {
        [codeHeader]: { schema: { type: 'string', enum: codes } },
        [requestIdHeader]: { schema: { type: 'string' } },
      },
    }
  }
  return result
}

function jsonSchema(schema: Schema): Json {
  // Transforms and checks have no JSON Schema: the document describes the form of the input, the server checks the
  // rest.
  const { $schema: _dialect, ...rest } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' })
  return rest
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
