// The published packages as their users receive them: packed, installed outside this repository by the command in
// docs/how-to/sdk.md, and used as that page and the READMEs of the packages print it, on every declared version of Node.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishedFolders } from '../../scripts/published-packages.ts'
import { launchChromium } from '../chromium.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { hasChromium } from '../has-chromium.ts'
import { serveFolder } from '../serve-folder.ts'
import { olderNodes, requireNode } from './nodes.ts'
import { helloCid, keysAnswer, keysProgram, writeAllProgram } from './packed-programs.ts'
import { runProgram } from './run-program.ts'

const root = resolve(import.meta.dirname, '../..')
const folders = publishedFolders()
const nodes = [...olderNodes, process.versions.node]
const binOf = (version: string) =>
  version === process.versions.node ? dirname(process.execPath) : requireNode(version)

let network: TestNetwork
let scratch = ''
let app = ''
let page = ''

/** A shell line in a folder, with one Node first in the path. */
async function shell(line: string, cwd: string, version = process.versions.node): Promise<string> {
  const { NODE_ENV: _test, NODE_COMPILE_CACHE: _cache, ...others } = process.env
  const env = { ...others, PATH: `${binOf(version)}:${process.env['PATH']}` }
  return (await runProgram('bash', ['-euo', 'pipefail', '-c', line], { cwd, env })).toString()
}

/** The network listens on other ports than the pages say; nothing else of the printed lines is changed. */
const atNetwork = (text: string) => text.replaceAll('http://127.0.0.1:8080', network.profile.api)

const blocksOf = (text: string, info: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${info}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '')

/** The page's shell lines with this beginning. */
const linesOf = (...beginnings: string[]) => {
  const lines = blocksOf(page, 'sh').flatMap((block) => block.trim().split('\n'))
  const found = lines.filter((line) => beginnings.some((one) => line.startsWith(one)))
  expect(found.length).toBeGreaterThanOrEqual(beginnings.length)
  return found
}

beforeAll(async () => {
  network = await createTestNetwork()
  scratch = await mkdtemp(join(tmpdir(), 'cairn-packed-'))
  app = join(scratch, 'my-app')
  page = await readFile(join(root, 'docs/how-to/sdk.md'), 'utf8')
  const [pack = ''] = linesOf('npm run pack')
  await shell(pack.replace('../my-app', app), root)
  for (const [, name = '', text = ''] of page.matchAll(/```(?:js|html) (\S+)\n([\s\S]*?)```/g))
    await writeFile(join(app, name), atNetwork(text))
  await writeFile(join(app, 'keys.js'), atNetwork(keysProgram))
  const all = await writeAllProgram()
  await writeFile(join(app, 'all.mjs'), all.esm)
  await writeFile(join(app, 'all.cjs'), all.cjs)
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const tools = ['esbuild', 'vite', 'react-dom'].map((name) => `${name}@${devDependencies[name]}`)
  await shell(`npm install ${tools.join(' ')}`, app)
}, 600_000)

afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(scratch, { recursive: true, force: true })
})

test('the page prints the example of ten lines', async () => {
  const example = await readFile(join(root, 'examples/ten-lines/upload.mjs'), 'utf8')
  expect(blocksOf(page, 'js upload.mjs')).toEqual([example])
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(10)
})

test.each(folders)(
  'the archive of %s has its README, the licence and no tests, and states the required Node version',
  async (folder) => {
    const archive = join(app, 'cairn-packages', `cairn-${folder}-0.1.0.tgz`)
    const files = (await shell(`tar tzf '${archive}'`, app)).trim().split('\n')
    expect(files).toEqual(expect.arrayContaining(['package/README.md', 'package/LICENSE', 'package/dist/index.js']))
    expect(files.filter((file) => /\.(test|suite|fixture)\.|\/vectors\//.test(file))).toEqual([])
    const installed = join(app, 'node_modules', '@cairn', folder)
    const license = await readFile(join(installed, 'LICENSE'), 'utf8')
    expect(license === (await readFile(join(root, 'LICENSE'), 'utf8'))).toBe(true)
    const { engines } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    expect(engines).toEqual({ node: `^${olderNodes[0]} || >=${olderNodes[1]}` })
  },
)

test('the command can be run again, and refuses a folder of this repository', async () => {
  await shell(`npm run pack -- '${app}'`, root)
  await expect(shell('npm run pack -- packages/my-app', root)).rejects.toThrow('is inside this repository')
  await expect(shell('npm run pack', root)).rejects.toThrow('Specify one folder')
})

describe.each(nodes)('on Node %s', (version) => {
  test.each(folders.filter((folder) => folder !== 'cli'))('the README of %s prints what it says', async (folder) => {
    const readme = await readFile(join(app, 'node_modules', '@cairn', folder, 'README.md'), 'utf8')
    const place = await mkdtemp(join(app, 'readme-'))
    await writeFile(join(place, 'example.mjs'), atNetwork(blocksOf(readme, 'js')[0] ?? ''))
    expect(readme).toContain('run `node example.mjs`')
    expect(await shell('node example.mjs', place, version)).toBe(blocksOf(readme, 'text')[0])
  })

  test('the README of the command line runs', async () => {
    const readme = await readFile(join(app, 'node_modules/@cairn/cli/README.md'), 'utf8')
    const said = await shell(blocksOf(readme, 'sh')[0] ?? '', app, version)
    expect(said).toMatch(/^0\.1\.0\n[\s\S]*cairn upload/)
  })

  test('every entry of every package exports the same by import and by require, plain and bundled', async () => {
    const expected: string[][] = JSON.parse(await shell('node all.mjs', app))
    expect(expected.every((names) => names.length > 0)).toBe(true)
    const outside = await mkdtemp(join(scratch, 'bundled-'))
    const bundle = 'npx esbuild --bundle --platform=node --log-limit=0'
    await shell(`${bundle} all.mjs --format=esm --outfile='${outside}/all.mjs'`, app, version)
    await shell(`${bundle} all.cjs --format=cjs --outfile='${outside}/all.cjs'`, app, version)
    for (const [file, cwd] of [
      ['all.mjs', app],
      ['all.cjs', app],
      ['all.mjs', outside],
      ['all.cjs', outside],
    ] as const)
      expect(JSON.parse(await shell(`node ${file}`, cwd, version)), `${file} in ${cwd}`).toEqual(expected)
  })

  test('the lines of the page for Node run as printed, and bundles need nothing beside them', async () => {
    for (const line of linesOf('node upload.mjs', 'node upload.cjs'))
      expect(await shell(line, app, version)).toContain(helloCid)
    expect(await shell(linesOf('node lighthouse.mjs')[0] ?? '', app, version)).toBe('5 function\n')
    expect(await shell(linesOf('node cid.mjs')[0] ?? '', app, version)).toBe(`${helloCid} 11\n`)
    expect(await shell(linesOf('node download.mjs')[0] ?? '', app, version)).toBe('11 hello world world\n')
    for (const line of linesOf('npx esbuild upload')) await shell(line, app, version)
    const outside = await mkdtemp(join(scratch, 'bundled-'))
    await cp(join(app, 'bundle'), join(outside, 'bundle'), { recursive: true })
    for (const line of linesOf('node bundle/')) expect(await shell(line, outside, version)).toContain(helloCid)
  })

  test('saves, reads, refuses and lists keys, plain and bundled', async () => {
    const outside = await mkdtemp(join(scratch, 'bundled-'))
    for (const format of ['esm', 'cjs'])
      await shell(
        `npx esbuild keys.js --bundle --platform=node --format=${format} --outfile='${outside}/keys.${format === 'esm' ? 'mjs' : 'cjs'}'`,
        app,
        version,
      )
    await cp(join(app, 'keys.js'), join(app, 'keys.mjs'))
    for (const [file, cwd] of [
      ['keys.mjs', app],
      ['keys.mjs', outside],
      ['keys.cjs', outside],
    ] as const)
      expect(JSON.parse(await shell(`node ${file}`, cwd, version)), `${file} in ${cwd}`).toEqual(keysAnswer)
  })
})

test.skipIf(!hasChromium)('Vite and esbuild bundles upload and read back in a browser', async () => {
  await shell(linesOf('npx vite build', 'npx esbuild page.js').join('\n'), app)
  const dist = join(app, 'dist')
  await mkdir(join(dist, 'by-esbuild'), { recursive: true })
  await writeFile(
    join(dist, 'by-esbuild', 'index.html'),
    '<body><script type="module" src="/esbuild/page.js"></script></body>',
  )
  await using served = await serveFolder(dist)
  const browser = await launchChromium()
  try {
    for (const path of ['/', '/by-esbuild/']) {
      const tab = await browser.newPage()
      await tab.goto(`${served.url}${path}`)
      await tab.getByText(`${helloCid} hello world`).waitFor()
      await tab.close()
    }
  } finally {
    await browser.close()
  }
})
