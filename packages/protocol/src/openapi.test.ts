import { expect, test } from 'vitest'
import { allCalls } from './calls.ts'
import { statusOf } from './dialects.ts'
import { errorTable } from './errors.ts'
import { toOpenApi } from './openapi.ts'

const document = toOpenApi({ version: '1.2.3' }) as {
  openapi: string
  paths: Record<
    string,
    Record<
      string,
      { operationId: string; responses: Record<string, unknown>; parameters: { name: string; in: string }[] }
    >
  >
  components: { schemas: { ErrorCode: { enum: string[] } } }
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

test('names the codes of the table, and parameters by their place', () => {
  expect(document.components.schemas.ErrorCode.enum).toEqual(Object.keys(errorTable))
  const info = document.paths['/api/lighthouse/file_info']?.['get']
  expect(info?.parameters).toMatchObject([{ name: 'cid', in: 'query', required: true }])
})

test('is plain JSON', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
})
