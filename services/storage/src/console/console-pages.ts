import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import type { ConsoleFile } from './console-files.ts'

/** The list of its pages that a build contains; parameters of a path start with `$`. */
const pagesFile = '/pages.json'
const pagesSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ path: v.pipe(v.string(), v.regex(/^\/[\w$/-]*$/)) })),
)

/**
 * Returns the patterns of the paths that the console's own router knows. Whatever follows a parameter belongs to the page:
 * `/files/$cid/access` is served as `/files/*`.
 * @throws CairnError INVALID_CONFIGURATION when the build has no valid list
 */
export function readPagePaths(files: ReadonlyMap<string, ConsoleFile>, folder: string): ReadonlySet<string> {
  const pages = v.safeParse(pagesSchema, files.get(pagesFile)?.bodies.identity.toString())
  if (!pages.success) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `CAIRN_CONSOLE_FOLDER: ${folder} does not list the pages of its console in ${pagesFile.slice(1)}`,
      hint: 'Rebuild the console with npm run build.',
    })
  }
  return new Set(pages.output.map(({ path }) => path.replace(/\$.*/, '*')))
}
