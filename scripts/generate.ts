// `npm run generate`: generates the pages of docs/ from the source. A test compares them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { generatedFiles } from './generated-files.ts'

const root = resolve(import.meta.dirname, '..')
// An unused icon has no file.
rmSync(join(root, 'apps/console/src/generated'), { recursive: true, force: true })
for (const [path, content] of Object.entries(generatedFiles())) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  console.log(path)
}
