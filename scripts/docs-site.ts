// `npm run docs:site`: builds the documentation as a site into build/docs-site. With `--serve` it also serves the site. A dead
// link, and a file that the site would load from another host, fail the build.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, serve } from 'vitepress'
import { findOutsideLoads } from './docs-loads.ts'

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({
  options: { base: { type: 'string' }, serve: { type: 'boolean' }, port: { type: 'string' } },
})
const base = values.base === undefined ? {} : { base: values.base }

await build(join(root, 'docs'), base)
const folder = join(root, 'build/docs-site')
const outside = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:html|css)$/.test(name))
  .flatMap((name) => findOutsideLoads(readFileSync(join(folder, name), 'utf8')).map((url) => `${name}: ${url}`))
if (outside.length > 0) {
  console.error(`The site loads from other hosts:\n${outside.join('\n')}`)
  process.exit(1)
}
console.log('The site is in build/docs-site.')
if (values.serve) await serve({ root: join(root, 'docs'), port: Number(values.port ?? 4173), ...base })
