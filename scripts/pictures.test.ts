import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) =>
  join(root, 'docs', name),
)

/** The pictures that a page shows, in Markdown or HTML. */
function readPictures(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/!\[[^\]]*\]\(([^)\s]+)\)|<img[^>]+src="([^"]+)"/g)].map(
    ([, markdown, html]) => join(dirname(page), markdown ?? html ?? ''),
  )
}

test('every picture below docs/ is shown by a page', () => {
  const pages = [join(root, 'README.md'), ...files.filter((path) => path.endsWith('.md'))]
  const shown = pages.flatMap(readPictures)
  const pictures = files.filter((path) => /\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(path))
  expect(shown.length).toBeGreaterThan(0)
  expect(pictures.filter((path) => !shown.includes(path))).toEqual([])
})
