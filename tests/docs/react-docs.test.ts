// The app of the React page: its files equal those of the example, and run in a browser as printed.
// tests/interop/packed-react.test.ts builds the same example from packed packages.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../chromium.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { hasChromium } from '../has-chromium.ts'
import { serveFolder } from '../serve-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/react.md'), 'utf8')
const files = [...page.matchAll(/```jsx (\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => ({ name, text }))

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  mkdirSync(join(root, '.cache'), { recursive: true })
  folder = mkdtempSync(join(root, '.cache', 'docs-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test('the page prints the files of the example', () => {
  expect(files.map(({ name }) => name)).toEqual(['App.jsx', 'main.jsx'])
  for (const { name, text } of files)
    expect(text, name).toBe(readFileSync(join(root, 'examples/react-upload/src', name), 'utf8'))
})

test.skipIf(!hasChromium)('they upload a file and list it', async () => {
  for (const { name, text } of files) writeFileSync(join(folder, name), text)
  await build({
    entryPoints: [join(folder, 'main.jsx')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    conditions: ['browser', '@cairn/source'],
    define: {
      'process.env.NODE_ENV': '"production"',
      'import.meta.env.VITE_CAIRN_NETWORK': JSON.stringify(network.profile.api),
    },
    outfile: join(folder, 'src/main.jsx.js'),
  })
  const html = readFileSync(join(root, 'examples/react-upload/index.html'), 'utf8')
  writeFileSync(join(folder, 'index.html'), html.replace('/src/main.jsx', '/src/main.jsx.js'))
  await using served = await serveFolder(folder)
  const browser = await launchChromium()
  try {
    const shown = await browser.newPage()
    await shown.goto(`${served.url}/`)
    await shown
      .getByLabel('File')
      .setInputFiles({ name: 'hello.txt', mimeType: 'text/plain', buffer: Buffer.from('hello world') })
    await shown.getByText('hello.txt bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e').waitFor()
    await shown.getByText('11 of 11 bytes').waitFor()
  } finally {
    await browser.close()
  }
})
