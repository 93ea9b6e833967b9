import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What a file imports to run its tests on each database. */
const first = ['/on-databases-fixture', '/on-databases.fixture.ts']

/** Paths of the test files that run on each database: they import `first`, or a fixture that does. */
export function filesOnDatabases(root: string): string[] {
  const paths = globSync('{packages,services}/*/src/**/*.{test,suite,fixture}.ts', { cwd: root }).sort()
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  const found = new Set<string>()
  const names = [...first]
  for (const name of names) {
    for (const [path, text] of texts) {
      if (found.has(path) || !text.includes(`${name}'`)) continue
      found.add(path)
      if (!path.endsWith('.test.ts')) names.push(`/${basename(path)}`)
    }
  }
  return [...found].filter((path) => path.endsWith('.test.ts'))
}
