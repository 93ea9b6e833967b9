import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import type { TestNetwork } from '../fixtures.ts'

const root = resolve(import.meta.dirname, '../..')

/** What a page leaves to its reader: lines to stand before and behind its example, and words of it to change. */
export type Surroundings = { before?: readonly string[]; behind?: readonly string[]; change?: Record<string, string> }

/** Runs the first example in TypeScript of a page as it stands, on this network; answers all that it prints. */
export async function runExample(
  page: string,
  network: Pick<TestNetwork, 'home'>,
  { before = [], behind = [], change = {} }: Surroundings = {},
): Promise<string> {
  let example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const profile = JSON.stringify(join(network.home, 'network.json'))
  for (const [from, to] of Object.entries({ ...change, 'loadNetwork()': `loadNetwork(${profile})` })) {
    expect(example).toContain(from)
    example = example.replace(from, to)
  }
  // Below the project, so that its packages are found.
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache', 'docs-'))
  try {
    const file = join(folder, 'example.ts')
    writeFileSync(file, [...before, example, ...behind].join('\n'))
    const child = spawn(
      process.execPath,
      ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', file],
      { cwd: root },
    )
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        said += bytes.toString()
      })
    }
    const code = await new Promise((done) => child.once('close', done))
    expect(code, said).toBe(0)
    return said
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
