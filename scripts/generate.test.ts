import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { allCalls, commonErrors, errorTable } from '@cairn/protocol'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { generatedFiles } from './generated-files.ts'

const root = resolve(import.meta.dirname, '..')
const files = generatedFiles()

const icons = /^apps\/console\/src\/generated\/icons\//

test.each(Object.keys(files).filter((path) => !icons.test(path)))(
  '%s matches its source; if not, run `npm run generate`',
  (path) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(files[path])
  },
)

test('the icons match the imports of the console; if not, run `npm run generate`', () => {
  const printed = Object.fromEntries(Object.entries(files).filter(([path]) => icons.test(path)))
  expect(Object.keys(printed).length).toBeGreaterThan(50)
  const folder = 'apps/console/src/generated/icons'
  const there = readdirSync(join(root, folder)).map((name) => [
    `${folder}/${name}`,
    readFileSync(join(root, folder, name), 'utf8'),
  ])
  expect(Object.fromEntries(there)).toEqual(printed)
})

test('the error table, its page and the OpenAPI document list the same codes', () => {
  const codes = Object.keys(errorTable).sort()
  const page = [...(files['docs/errors.md'] ?? '').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
  expect(page.sort()).toEqual(codes)
  const document: { components: { schemas: { ErrorCode: { enum: string[] } } } } = JSON.parse(
    files['docs/openapi.json'] ?? '',
  )
  expect([...document.components.schemas.ErrorCode.enum].sort()).toEqual(codes)
})

test('the OpenAPI document is valid, and each of its references has a target', async () => {
  const text = files['docs/openapi.json'] ?? ''
  const document: Record<string, unknown> = JSON.parse(text)
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  const references = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path = '']) => path.split('/'))
  expect(references.length).toBeGreaterThan(1000)
  for (const path of references) expect(document).toHaveProperty(path)
})

test('a call answers only with codes that services send', () => {
  for (const call of allCalls) {
    for (const code of [...call.errors, ...commonErrors]) {
      expect(errorTable[code].status, `${call.id}: ${code}`).toBeGreaterThan(0)
    }
  }
})
