// `npm run generate`: prints the pages of docs/ that come from the source. A test compares them.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { generatedFiles } from './generated-files.ts'

const root = resolve(import.meta.dirname, '..')
for (const [path, content] of Object.entries(generatedFiles())) {
  writeFileSync(join(root, path), content)
  console.log(path)
}
