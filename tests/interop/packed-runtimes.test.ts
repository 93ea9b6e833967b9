// The published packages, packed and installed outside this repository, on runtimes other than Node.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { bun, deno, findRuntime, type Runtime } from './npm-programs.ts'
import { helloCid, keysAnswer, keysProgram, writeAllProgram } from './packed-programs.ts'
import { runProgram } from './run-program.ts'

const root = resolve(import.meta.dirname, '../..')
const runtimes = [deno, bun]

describe.skipIf(runtimes.every((runtime) => findRuntime(runtime) === undefined))('packed packages', () => {
  let network: TestNetwork
  let scratch = ''
  let app = ''
  beforeAll(async () => {
    network = await createTestNetwork()
    scratch = await mkdtemp(join(tmpdir(), 'cairn-runtimes-'))
    app = join(scratch, 'my-app')
    await runProgram('npm', ['run', 'pack', '--', app], { cwd: root })
    const atNetwork = (text: string) => text.replaceAll('http://127.0.0.1:8080', network.profile.api)
    const example = await readFile(join(root, 'examples/ten-lines/upload.mjs'), 'utf8')
    await writeFile(join(app, 'upload.mjs'), atNetwork(example))
    await writeFile(join(app, 'keys.mjs'), atNetwork(keysProgram))
    await writeFile(join(app, 'all.mjs'), (await writeAllProgram()).esm)
  }, 300_000)
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]()
    if (scratch !== '') await rm(scratch, { recursive: true, force: true })
  })

  const run = async (runtime: Runtime, file: string): Promise<string> => {
    const program = findRuntime(runtime) ?? runtime.name
    const env = { HOME: scratch, PATH: process.env['PATH'], NO_COLOR: '1' }
    return (await runProgram(program, [...runtime.args, file], { cwd: app, env, timeoutMs: 120_000 })).toString()
  }

  for (const runtime of runtimes) {
    const isThere = findRuntime(runtime) !== undefined
    test.skipIf(!isThere)(`every entry has the same exports on ${runtime.name}`, async () => {
      const onNode = await runProgram(process.execPath, ['all.mjs'], { cwd: app })
      expect(JSON.parse(await run(runtime, 'all.mjs'))).toEqual(JSON.parse(onNode.toString()))
    })

    test.skipIf(!isThere)(`the example of ten lines runs on ${runtime.name}`, async () => {
      expect(await run(runtime, 'upload.mjs')).toContain(helloCid)
    })

    test.skipIf(!isThere)(`saves, reads, refuses and lists keys on ${runtime.name}`, async () => {
      expect(JSON.parse(await run(runtime, 'keys.mjs'))).toEqual(keysAnswer)
    })
  }
})
