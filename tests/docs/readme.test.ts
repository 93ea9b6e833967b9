// The lines of the README run as for a newcomer, against a local network on its own ports.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runExample } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork({}, 'local', 20, 3)
  folder = mkdtempSync(join(tmpdir(), 'cairn-readme-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '')
}

function run(command: string, args: string[], cwd: string): Promise<{ code: number | null; out: string }> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd,
      env: {
        ...process.env,
        CAIRN_NETWORK: join(network.home, 'network.json'),
        CAIRN_CONFIG_HOME: join(folder, 'config'),
      },
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => {
        out += piece.toString()
      })
    }
    child.on('error', fail)
    child.on('close', (code) => done({ code, out }))
  })
}

test('every shell line works as printed', async () => {
  // Lines that need their own stage are tested elsewhere: start (start-and-stop); tests, check, bench and interop run this.
  const staged = /^npm (start|test|run (check|test:|bench|interop))/
  // curl is a system program, so tests/system runs its block. The example of the SDK has a test below.
  const lines = blocks('sh')
    .filter((block) => !/^(curl |node scripts)/m.test(block))
    .flatMap((block) => block.split('\n').map((line) => line.trim()))
    .filter((line) => line !== '' && !staged.test(line))
  expect(lines.length).toBeGreaterThan(4)
  const uploaded = await run('npm', ['run', '--silent', 'cairn', '--', 'upload', 'README.md', '--json'], root)
  const cid = /"cid":"(\w+)"/.exec(uploaded.out)?.[1] ?? ''
  const script = lines.join('\n').replaceAll('<cid>', cid).replaceAll('copy.md', join(folder, 'copy.md'))
  const { code, out } = await run('bash', ['-euo', 'pipefail', '-c', script], root)
  expect(code, out).toBe(0)
  expect(readFileSync(join(folder, 'copy.md'), 'utf8')).toBe(readme)
})

test('the SDK example works as printed', async () => {
  expect(readme).toContain('createClient')
  const output = await runExample(readme, network)
  expect(output).toContain('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e hello world')
})
