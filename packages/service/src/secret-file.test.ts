import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepSecretFile } from './secret-file.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cairn-secret-'))
})
afterEach(() => rmSync(home, { recursive: true }))

test('writes a secret once', async () => {
  const first = await keepSecretFile(home, 'secret', Buffer.alloc(32, 1))
  expect(first).toBe('01'.repeat(32))
  expect(await keepSecretFile(home, 'secret', Buffer.alloc(32, 2))).toBe(first)
  expect(readdirSync(home)).toEqual(['secret'])
})

test('leaves no part of a secret that does not fit on the disk', async () => {
  const source = fileURLToPath(new URL('secret-file.ts', import.meta.url))
  const script = `const { keepSecretFile } = await import(${JSON.stringify(source)})
    await keepSecretFile(${JSON.stringify(home)}, 'secret', Buffer.alloc(2_000)).catch(({ code }) => console.log(code))`
  const node = [process.execPath, '--conditions=@cairn/source', '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)('bash', ['-c', 'ulimit -f 1; exec "$@"', 'bash', ...node])
  expect(stdout.trim()).toBe('EFBIG')
  expect(readdirSync(home)).toEqual([])
})
