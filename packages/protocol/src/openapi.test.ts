import { expect, test } from 'vitest'
import { allCalls } from './calls.ts'
import { statusOf } from './errors/dialects.ts'
import { errorTable } from './errors/error-table.ts'
import { toOpenApi } from './openapi.ts'

const document = toOpenApi({ version: '1.2.3' }) as {
  openapi: string
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, unknown>; parameters: { $ref?: string }[] }>
  >
  components: { schemas: { ErrorCode: { enum: string[] } }; parameters: Record<string, unknown> }
}

test('lists every call with its success status and each status of its errors', () => {
  for (const call of allCalls) {
    const operation = document.paths[call.path.replace('*}', '}')]?.[call.method.toLowerCase()]
    expect(operation?.operationId).toBe(call.id)
    const statuses = Object.keys(operation?.responses ?? {})
    expect(statuses).toContain(String('status' in call ? (call.status ?? 200) : 200))
    for (const code of call.errors) expect(statuses).toContain(String(statusOf(call.dialect, code)))
  }
})

test('lists the codes of the table, and parameters by their place', () => {
  expect(document.components.schemas.ErrorCode.enum).toEqual(Object.keys(errorTable))
  const info = document.paths['/api/lighthouse/file_info']?.['get']
  expect(info?.parameters).toEqual([{ $ref: '#/components/parameters/CidInQuery' }])
  expect(document.components.parameters['CidInQuery']).toMatchObject({ name: 'cid', in: 'query', required: true })
})

test('writes each error response, and each schema of three calls, once', () => {
  const errors: unknown[] = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, response]) => (/^[23]/.test(status) ? [] : [response])),
    ),
  )
  expect(errors.length).toBeGreaterThan(1000)
  for (const error of errors) {
    expect(error).toEqual({ $ref: expect.stringMatching(/^#\/components\/responses\/[A-Z]/) })
  }
  const counts = new Map<string, number>()
  JSON.stringify(document, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'properties' in value) {
      const text = JSON.stringify(value)
      if (text.length > 300) counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    return value
  })
  expect([...counts].filter(([, count]) => count > 2)).toEqual([])
})

test('is written in the dialect of OpenAPI 3.1, with a format for each number', () => {
  const formats = { number: 'double', integer: 'int64' }
  const lists = new Set<string>()
  JSON.stringify(document, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if ('items' in value) expect(value.items).not.toBeInstanceOf(Array)
    if ('type' in value && (value.type === 'number' || value.type === 'integer'))
      expect(value).toMatchObject({ format: formats[value.type] })
    if ('prefixItems' in value) lists.add(JSON.stringify(value))
    return value
  })
  expect(lists.size).toBe(2)
})

test('describes a number in a parameter as an integer with its bounds', () => {
  const parameters = [
    ...Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap((operation) => operation.parameters),
    ),
    ...Object.values(document.components.parameters),
  ]
  expect(parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: 1000, default: 10 },
  })
  expect(JSON.stringify(parameters)).not.toContain(String.raw`"^\\d{1,3}$"`)
})

test('lists what a call of bytes sends, bytes first, and its other successes', () => {
  const responses = (path: string, method = 'get') => document.paths[path]?.[method]?.responses
  expect(responses('/ipni/v1/ad/head')).toMatchObject({
    200: { content: { 'application/octet-stream': {}, 'application/json': {} } },
    204: { description: 'Nothing was announced.' },
  })
  expect(responses('/ipfs/{cid}/{path}')).toMatchObject({
    206: { content: { 'application/octet-stream': {}, '*/*': {} } },
    304: { description: expect.any(String) },
  })
})

test('states the type of each constant', () => {
  const types = new Set<unknown>()
  JSON.stringify(document, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('const' in value)) return value
    expect(value).toMatchObject({ type: typeof value.const })
    types.add(typeof value.const)
    return value
  })
  expect(types).toEqual(new Set(['string', 'boolean']))
})

// Client generators name the types of a union after its parameter only there.
test('writes a parameter that is a union into each operation that has it', () => {
  for (const parameter of Object.values(document.components.parameters))
    expect(parameter).not.toHaveProperty('schema.anyOf')
})

test('is plain JSON', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
})
