// The TypeScript examples of all pages compile with the strict settings of this repository.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

test('the TypeScript examples of all pages have no type errors', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache', 'types-'))
  try {
    let count = 0
    for (const page of ['README.md', ...pages])
      for (const [, name = '', text = ''] of readFileSync(join(root, page), 'utf8').matchAll(
        /```(?:ts|tsx) (\S+)\n([\s\S]*?)```/g,
      )) {
        const path = join(folder, page, name)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
        count++
      }
    expect(count).toBeGreaterThan(15)
    const settings = {
      extends: '../../tsconfig.node.json',
      // Beyond `strict`, which readers use.
      compilerOptions: { jsx: 'react-jsx', noPropertyAccessFromIndexSignature: false },
      include: ['**/*.ts', '**/*.tsx'],
      references: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    const tsc = join(root, 'node_modules', '.bin', 'tsc')
    const { stdout, status } = spawnSync(tsc, ['-p', folder], { cwd: folder, encoding: 'utf8' })
    expect([stdout, status]).toEqual(['', 0])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
