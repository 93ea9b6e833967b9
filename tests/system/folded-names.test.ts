// Downloads to a file system that treats names as equal if they differ only in case. Needs `gcc`, for a library that simulates
// one in a folder.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { type CliRun, runCli } from '../run-cli.ts'
import { requireProgram } from './require-program.ts'

let network: TestNetwork
let folder = ''
let library = ''
beforeAll(async () => {
  network = await createTestNetwork()
  folder = await mkdtemp(join(tmpdir(), 'cairn-folded-'))
  await mkdir(join(folder, 'disk'))
  library = join(folder, 'fold-names.so')
  const source = join(import.meta.dirname, 'fold-names.c')
  const args = ['-Wall', '-Werror', '-shared', '-fPIC', '-o', library, source, '-ldl']
  await promisify(execFile)(requireProgram('gcc', 'gcc'), args)
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

function cairn(args: string[], env: Record<string, string> = {}): Promise<CliRun> {
  return runCli(args, {
    cwd: folder,
    asProcess: true,
    env: {
      CAIRN_NETWORK: join(network.home, 'network.json'),
      CAIRN_CONFIG_HOME: join(folder, 'config'),
      ...env,
    },
  })
}

/** Downloads to the file system that folds names. */
const get = (cid: string, ...args: string[]) =>
  cairn(['get', cid, '--json', ...args], { LD_PRELOAD: library, CAIRN_TEST_FOLDED: join(folder, 'disk') })

const trees = {
  files: ['Readme', 'readme', 'other'],
  'files in a folder': ['docs/Readme', 'docs/readme', 'docs/other'],
  'a folder and a file': ['Readme', 'readme/one'],
  folders: ['Docs/one', 'docs/two'],
  'folders in a folder': ['x/Docs/one', 'x/docs/one'],
}

test.each(
  Object.entries(trees).flatMap(([what, paths]) => ['plain', 'encrypted'].map((how) => ({ what, how, paths }))),
)('rejects $what, $how, and merges or overwrites nothing', async ({ what, how, paths }) => {
  const name = `${what} ${how}`.replaceAll(' ', '-')
  for (const path of paths) {
    await mkdir(dirname(join(folder, name, path)), { recursive: true })
    await writeFile(join(folder, name, path), path)
  }
  const up = await cairn(['upload', name, '--json', ...(how === 'encrypted' ? ['--encrypt', '--as-one'] : [])])
  expect(up.code, up.err).toBe(0)
  const { cid }: { cid: string } = JSON.parse(up.out)

  const target = join(folder, 'disk', name)
  for (const force of [[], ['--force']]) {
    const refused = await get(cid, '-o', target, ...force)
    expect(refused.code, refused.out).toBe(1)
    expect(JSON.parse(refused.err.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'DUPLICATE_NAME' } })
    const left = await readdir(target, { recursive: true, withFileTypes: true })
    expect(left.filter(({ name }) => name.startsWith('.cairn-'))).toEqual([])
    // Each existing file is complete; of two names, neither replaced the other.
    for (const entry of left.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name).slice(target.length + 1)
      expect(path).toBe((await readFile(join(target, path), 'utf8')).toLowerCase())
    }
    await rm(target, { recursive: true })
  }
  for (const path of how === 'plain' ? paths : []) {
    const one = await get(`${cid}/${path}`, '-o', join(folder, 'disk', `${name}-one`), '--force')
    expect(one.code, one.err).toBe(0)
  }

  const apart = join(folder, `${name}-apart`)
  const kept = await cairn(['get', cid, '-o', apart])
  expect(kept.code, kept.err).toBe(0)
  for (const path of paths) expect(await readFile(join(apart, path), 'utf8')).toBe(path)
})
