// The app of docs/how-to/react.md as its readers get it (tests/docs/react-docs.test.ts compares the texts): the example with the packed packages, built and used.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../chromium.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { hasChromium } from '../has-chromium.ts'
import { serveFolder } from '../serve-folder.ts'
import { runProgram } from './run-program.ts'

const root = resolve(import.meta.dirname, '../..')
const helloCid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

let network: TestNetwork
let scratch = ''

beforeAll(async () => {
  network = await createTestNetwork()
  scratch = await mkdtemp(join(tmpdir(), 'cairn-react-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(scratch, { recursive: true, force: true })
})

// React 18 is the oldest version that the package declares.
test.skipIf(!hasChromium).each(['19.3.1', '18.3.1'])(
  'the example builds with React %s from packed packages, and uploads',
  { timeout: 600_000 },
  async (version) => {
    const app = join(scratch, version)
    await cp(join(root, 'examples/react-upload'), app, { recursive: true })
    const { NODE_ENV: _test, NODE_COMPILE_CACHE: _cache, ...others } = process.env
    const env = { ...others, VITE_CAIRN_NETWORK: network.profile.api }
    await runProgram('npm', ['pkg', 'set', `dependencies.react=${version}`, `dependencies.react-dom=${version}`], {
      cwd: app,
      env,
    })
    await runProgram('npm', ['run', 'pack', '--', app], { cwd: root, env })
    await runProgram('npm', ['run', 'build'], { cwd: app, env })
    await using served = await serveFolder(join(app, 'dist'))
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.goto(`${served.url}/`)
      await page
        .getByLabel('File')
        .setInputFiles({ name: 'hello.txt', mimeType: 'text/plain', buffer: Buffer.from('hello world') })
      await page.getByText(`hello.txt ${helloCid}`).waitFor()
      expect(await page.getByRole('listitem').count()).toBe(1)
    } finally {
      await browser.close()
    }
  },
)
