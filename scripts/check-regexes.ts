// Fails on regular expressions in what is published or served whose time grows with more than the length of a text. Exceptions
// are listed below, by expression and reason.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { findRegexes, isSuperLinear } from './regexes.ts'

const root = resolve(import.meta.dirname, '..')

/** Expressions that only see short texts. */
const short: Readonly<Record<string, string>> = {
  '"([^"]*)"|\\\\(.)|_.|\\*.|\\[([^\\]]*)\\]|;|AM\\/PM|A\\/P|General|[^"\\\\_*[;]':
    'codes of number formats have at most 255 characters',
  '^([0#?,]*)(?:\\.([0#?]*))?(?:E[+-](0+|#0))?(,*)$': 'codes of number formats have at most 255 characters',
  ',*$': 'codes of number formats have at most 255 characters',
  '([\\d.]+)(ms|s|m|h)': 'the schema has accepted the duration: each amount has at most 19 characters',
  '([^/]+)\\/?$': 'Node and browsers limit the headers of a response',
  '^[ \\t]*;?[ \\t]*$': 'gets at most 200 characters',
  "^[ \\t]*(?:;[ \\t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+=|;?[ \\t]*$)": 'gets at most 200 characters',
}

/** Build tools, which read the sources of this project, and tests. */
const skipped = /^apps\/local\/src\/bundle\/|\.(?:test|suite|fixture)\.tsx?$|\/generated\//

const used = new Set<string>()
const failures = ['packages', 'services', 'apps'].flatMap(listFiles).flatMap((file) =>
  findRegexes(file, readFileSync(join(root, file), 'utf8'))
    .filter(isSuperLinear)
    .filter(({ source }) => {
      used.add(source)
      return short[source] === undefined
    })
    .map(({ line, source }) => `${file}:${line}: ${source}`),
)
failures.push(
  ...Object.keys(short)
    .filter((source) => !used.has(source))
    .map((source) => `no source has the exception ${source}`),
)
if (failures.length > 0) {
  console.error(
    `The time of these expressions grows with more than the length of a text. Give each one way to match, use withoutTrailing or indexOf, or limit the text and list the reason:\n${failures.join('\n')}`,
  )
  process.exitCode = 1
}

function listFiles(group: string): string[] {
  return readdirSync(join(root, group), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(root, group, name, 'src'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !skipped.test(file))
}
