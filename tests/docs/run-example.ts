import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect } from 'vitest'
import type { TestNetwork } from '../fixtures.ts'
import { cliCommand } from '../run-cli.ts'

const root = resolve(import.meta.dirname, '../..')

/** A folder in which the examples of a page are saved and run as printed. */
export type ExampleFolder = Disposable & {
  readonly path: string
  /** Runs the shell block of the page that contains this text. @returns its output */
  run(part: string): Promise<string>
  /** Runs a line as a page prints it. @returns its output */
  runLine(line: string): Promise<string>
}

/**
 * Saves each file of a page (```ts name.ts) in a folder with the network's profile, instead of the repository's
 * folder. A command changes only in the paths of `scripts/run.mjs` and of the file, which are resolved in the repository;
 * `npm run cairn`, which would change to the repository's folder, becomes the program that it starts, in one file.
 */
export function openExamples(page: string, network: Pick<TestNetwork, 'home'>): ExampleFolder {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const path = mkdtempSync(join(root, '.cache', 'docs-'))
  mkdirSync(join(path, '.cairn'))
  copyFileSync(join(network.home, 'network.json'), join(path, '.cairn', 'network.json'))
  for (const [, name = '', text = ''] of page.matchAll(/```(?:ts|json) (\S+)\n([\s\S]*?)```/g))
    writeFileSync(join(path, name), text)
  const runLine = async (line: string) => {
    const runner = `node '${root}/scripts/run.mjs'`
    const cli = (await cliCommand()).map((part) => `'${part}'`).join(' ')
    const command = line
      .replaceAll('node scripts/run.mjs ', `${runner} .cache/${basename(path)}/`)
      .replaceAll(/npm run (?:-s )?cairn -- /g, `${cli} `)
    return runShell(command, path)
  }
  return {
    path,
    runLine,
    run(part) {
      const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
      const [block, ...more] = blocks.filter((one) => one.includes(part))
      if (block === undefined || more.length > 0)
        throw new Error(`the page has ${more.length} blocks too many with ${part}`)
      return runLine(block)
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

async function runShell(command: string, cwd: string): Promise<string> {
  const { CAIRN_NETWORK: _network, CAIRN_HOME: _home, ...env } = process.env
  const child = spawn('bash', ['-euo', 'pipefail', '-c', command], {
    cwd,
    env: { ...env, CAIRN_CONFIG_HOME: join(cwd, '.config') },
    // Without a terminal or a socket, because bash reads the machine's start file when its input is a socket.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      said += bytes.toString()
    })
  }
  const code = await new Promise((done) => child.once('close', done))
  expect(code, said).toBe(0)
  return said
}

/** Runs the only example of a page. @returns its output */
export async function runExample(page: string, network: Pick<TestNetwork, 'home'>): Promise<string> {
  using examples = openExamples(page, network)
  return await examples.run('node scripts/run.mjs')
}
