// Fails on names and words that the project does not use. Checks names everywhere, and words in sources, texts and pages, but
// not in tests. Exceptions are listed below, by line and reason.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { findForbidden, type LanguageException, nameRules, proseRules } from './language.ts'

const root = resolve(import.meta.dirname, '..')
const roots = ['packages', 'services', 'apps', 'scripts', 'tests', 'bench', 'docs']
const files = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
const skipped = [
  '/node_modules/',
  '/dist/',
  '/generated/',
  '/vectors/',
  'docs/decisions/',
  'tests/lighthouse/',
  'docs/openapi.json',
]

const exceptions: readonly LanguageException[] = [
  { file: 'CHANGELOG.md', text: 'CAIRN_PROVIDER_PAYLOAD_BYTES_MOST', reason: 'a setting that was renamed' },
  ...['packages/cli/src/archive/seal.ts', 'docs/file-format.md'].map((file) => ({
    file,
    text: 'Whoever has this signature',
    reason: 'signed text: a change is another key',
  })),
]

/** Texts of the console in other languages than English. */
const translationPattern = /\/messages\/(?!en\/)[\w-]+\//

/** Tests: their names are checked, their words are not. */
const testPattern = /^tests\/|\.(?:test|suite|fixture)\.tsx?$/

const allRules = [...nameRules, ...proseRules]
const found = [...files, ...roots.flatMap(listFiles)].flatMap((file) =>
  findForbidden(
    file,
    readFileSync(join(root, file), 'utf8'),
    testPattern.test(file) ? nameRules : allRules,
    exceptions,
  ),
)
for (const { file, line, found: word, instead, text } of found) {
  console.error(`${file}:${line}: "${word}": write ${instead}\n    ${text.slice(0, 160)}`)
}
if (found.length > 0) process.exitCode = 1

function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs|md|css|html)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !translationPattern.test(file))
    .filter((file) => !file.startsWith('scripts/language') && !file.startsWith('scripts/check-language'))
    .filter((file) => !skipped.some((part) => `/${file}`.includes(part) || file.startsWith(part)))
}
