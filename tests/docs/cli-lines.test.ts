// Every line of the pages that calls the command line does so in one way, and runs as printed, except for placeholders.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createClient } from '@cairn/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { untilProven } from '../until-proven.ts'
import { type ExampleFolder, openExamples } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('decisions') && name !== 'console-review.md')
    .map((name) => `docs/${name}`),
]

type Block = { page: string; lines: string[]; reason: string | undefined }

/** The shell blocks of a page that call the command line, with the reason for those that no test runs. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/(?:<!-- not run: ([^>]+) -->\n)?^ *```([^\n]*)\n(.*?)^ *```$/gms)]
    .filter(([, , language = '']) => ['', 'sh', 'bash'].includes(language))
    .map(([, reason, , block = '']) => ({ page, reason, lines: block.split('\n').map((line) => line.trim()) }))
    .filter(({ lines }) => lines.some((line) => callOfCli.test(line)))
}
/** A call in any way: by npm, by npx, or of an installed program. */
const callOfCli = /(?:^|[|(]\s*|npx )cairn [a-z]|npm run (?:-s |--silent )?cairn\b/

const blocks = pages.flatMap(blocksOf)

test('the pages call it in one way, and without npm output where the result is used', () => {
  expect(blocks.length).toBeGreaterThan(10)
  for (const { page, lines } of blocks) {
    for (const line of lines.filter((one) => callOfCli.test(one))) {
      const isUsed = /cairn.*\| |\$\(npm/.test(line.replace(/ # .*$/, ''))
      const call = isUsed ? 'npm run -s cairn -- ' : 'npm run cairn -- '
      // The page about installed packages has no clone to run in.
      expect(line, page).toContain(page === 'docs/how-to/sdk.md' ? 'npx cairn ' : call)
    }
  }
})

test('each TypeScript or JavaScript example is a complete file, and its page says how to run it', () => {
  // The generated page has types of bodies, not examples.
  const written = pages.filter((page) => page !== 'docs/http-calls.md')
  const examples = written.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^ *```(?:[jt]sx?|mjs|cjs)\b *(.*)$/gm)].map(
      ([, name = '']) => ({ page, name }),
    ),
  )
  expect(examples.length).toBeGreaterThan(10)
  for (const { page, name } of examples) {
    const text = readFileSync(join(root, page), 'utf8')
    expect(name, page).toMatch(/^[\w-]+\.[cm]?[jt]sx?$/)
    // Once at the block, and in a command or in the text before it.
    expect(text.split(name).length, `${page}: ${name}`).toBeGreaterThan(2)
  }
})

describe('each line runs', () => {
  let network: TestNetwork
  let folder: ExampleFolder
  /** The values of `<cid>` and `<name>`: the last printed ones. */
  const last = { cid: '', name: '' }
  beforeAll(async () => {
    network = await createTestNetwork({ CAIRN_S3_API_PORT: '0' }, 'local', 20, 2)
    folder = openExamples('', network)
    for (const [name, text] of Object.entries({
      'photo.jpg': 'a photo',
      'diary.txt': 'dear diary',
      'README.md': '# readme',
      'docs/security.md': '# security',
      'photos/one.jpg': 'one',
      'photos/docs/two.jpg': 'two',
      'src/main.ts': 'export {}',
    })) {
      await mkdir(dirname(join(folder.path, name)), { recursive: true })
      await writeFile(join(folder.path, name), text)
    }
    const said = await folder.runLine('npm run cairn -- upload photos/ README.md')
    last.cid = readCid(said)
    await untilProven(createClient({ network: network.profile }), last.cid)
  })
  afterAll(async () => {
    folder?.[Symbol.dispose]()
    await network?.[Symbol.asyncDispose]()
  })

  function readCid(said: string): string {
    return /\bb[a-z2-7]{58}\b/.exec(said)?.[0] ?? last.cid
  }

  test('the example of the S3 page prints a CID, and creates the bucket that its lines use', async () => {
    using examples = openExamples(readFileSync(join(root, 'docs/how-to/s3.md'), 'utf8'), network)
    expect(await examples.run('node scripts/run.mjs s3.ts')).toMatch(/^bafkrei[a-z2-7]{52}$/m)
  })

  const run = blocks.filter(
    ({ page, reason }) =>
      reason === undefined &&
      // Other tests run these blocks completely.
      !['README.md', 'docs/how-to/conditions.md', 'docs/how-to/sdk.md'].includes(page),
  )
  test.each(run.map(({ page, lines }) => ({ page, first: lines[0], lines })))('$page: $first', async ({ lines }) => {
    for (const line of lines.filter((one) => callOfCli.test(one))) {
      const filled = line.replaceAll('<cid>', last.cid).replaceAll('<name>', last.name)
      expect(filled, line).not.toMatch(/ <\w+>/)
      // It fails if the command fails.
      const said = await folder.runLine(filled)
      if (/ (?:upload|rotate) /.test(line)) last.cid = readCid(said)
      last.name = /\bk51[a-z0-9]+\b/.exec(said)?.[0] ?? last.name
    }
  })

  test('a block that does not run says why', () => {
    const unrun = blocks.filter(({ reason }) => reason !== undefined)
    expect(unrun.map(({ page }) => page).sort()).toEqual([
      'docs/how-to/cli.md',
      'docs/how-to/cli.md',
      'docs/how-to/cli.md',
      'docs/how-to/events.md',
      'docs/how-to/events.md',
      'docs/how-to/events.md',
      'docs/how-to/export.md',
      'docs/how-to/import.md',
      'docs/how-to/import.md',
      'docs/how-to/import.md',
      'docs/how-to/import.md',
      'docs/how-to/import.md',
      'docs/how-to/links.md',
      'docs/how-to/names.md',
      'docs/how-to/upload-links.md',
      'docs/operate/rehearsal.md',
    ])
  })
})
