import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findCircles, findMisplacedQueries, findPastFaces, readFileImports, readRoomImports } from './rooms.ts'

let src = ''
beforeEach(() => {
  src = mkdtempSync(join(tmpdir(), 'cairn-rooms-'))
})
afterEach(() => rmSync(src, { recursive: true }))

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(src, path)), { recursive: true })
    writeFileSync(join(src, path), text)
  }
}

test('finds a cycle of rooms, through types and late imports too, and reports it once', () => {
  write({
    'a/a.ts': "import type { B } from '../b/b.ts'",
    'b/b.ts': "export const load = () => import('../c/c.ts')",
    'c/part.ts': "export { a } from '../a/a.ts'",
    'd/d.ts': "import '../a/a.ts'",
  })
  expect(findCircles(readRoomImports(src))).toEqual(['a -> b -> c -> a'])
})

test('rooms in one direction, files beside the rooms and tests form no cycle', () => {
  write({
    'context.ts': "import '../src/a/a.ts'",
    'a/a.ts': "import '../context.ts'\nimport '../b/b.ts'\nimport './part.ts'",
    'b/b.ts': "import '@cairn/protocol'",
    'b/b.test.ts': "import '../a/a.ts'",
  })
  expect(findCircles(readRoomImports(src))).toEqual([])
})

test('finds a cycle of files of one room, closed by a type', () => {
  write({
    'a/one.ts': "import { two } from './two.ts'",
    'a/two.ts': "import type { One } from './one.ts'",
    'start.ts': "import './a/one.ts'",
  })
  expect(findCircles(readRoomImports(src))).toEqual([])
  expect(findCircles(readFileImports(src))).toEqual(['a/one.ts -> a/two.ts -> a/one.ts'])
})

test('the check fails and lists each violation of a checkout', () => {
  write({
    'services/x/src/a/a.ts': "import '../b/part.ts'",
    'services/x/src/a/routes.ts': "trx.deleteFrom('upload')",
    'services/x/src/b/b.ts': "import './part.ts'",
    'services/x/src/b/part.ts': "import type { B } from './b.ts'\nimport type { A } from '../a/a.ts'",
  })
  const check = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, 'check-rooms.ts'), src], {
    encoding: 'utf8',
  })
  expect(check.stderr.split('\n').slice(1, -1)).toEqual([
    'services/x: circle a -> b -> a',
    'services/x: circle of files a/a.ts -> b/part.ts -> a/a.ts',
    'services/x: circle of files b/b.ts -> b/part.ts -> b/b.ts',
    'services/x: a/routes.ts holds a query',
    'services/x: a/a.ts imports b/part.ts past the face b/b.ts',
  ])
  expect(check.status).toBe(1)
})

test('finds an import past a face; shelves have no face', () => {
  write({
    'a/a.ts': "import '../b/b.ts'\nimport '../b/store.ts'\nimport '../db/schema.ts'",
    'b/b.ts': '',
    'b/store.ts': '',
    'db/schema.ts': '',
  })
  expect(findPastFaces(readRoomImports(src), (room) => room === 'b')).toEqual([
    { from: 'a', to: 'b', file: 'a/a.ts', target: 'b/store.ts' },
  ])
})

test('finds queries in routes and beside the rooms, and none elsewhere', () => {
  const query = "await db.read\n  .selectFrom('upload')"
  write({
    'start.ts': query,
    'a/routes.ts': query,
    'a/other-routes.ts': "trx.deleteFrom('upload')",
    'a/store.ts': query,
    'a/verb.ts': query,
    'a/routes.test.ts': query,
    'b/routes.ts': "import '../a/a.ts'",
  })
  expect(findMisplacedQueries(src)).toEqual(['a/other-routes.ts', 'a/routes.ts', 'start.ts'])
})
