import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildConsole } from './build-console.ts'

let root = ''
let folder = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cairn-build-'))
  folder = join(root, 'apps', 'console')
  const packages = ['protocol', 'unixfs', 'crypto', 'names', 'pieces', 'contracts', 'sdk'].map((name) =>
    join(root, 'packages', name, 'src'),
  )
  for (const path of [join(folder, 'src'), join(folder, 'public'), ...packages]) await mkdir(path, { recursive: true })
  await symlink(resolve(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'))
  await writeFile(join(root, 'package-lock.json'), '{}')
  await writeFile(join(folder, 'package.json'), '{"name":"console","type":"module"}')
  await writeFile(join(folder, 'vite.config.ts'), 'export default { base: "./" }')
  for (const name of [
    'compress-assets.ts',
    'languages-part.ts',
    'pages-part.ts',
    'pdf-data-part.ts',
    'wallet-connect-part.ts',
  ])
    await writeFile(join(folder, name), '')
  await writeFile(join(folder, 'index.html'), '<script type="module" src="./src/main.js"></script>')
  await writeTitle('first')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const writeTitle = (word: string) => writeFile(join(folder, 'src', 'main.js'), `document.title = '${word}'`)

/** Returns the text of the built console. */
async function readTitle(): Promise<string> {
  const assets = join(folder, 'dist', 'assets')
  const [script = ''] = await readdir(assets)
  return readFile(join(assets, script), 'utf8')
}

test('builds once for concurrent calls, and again when a source is newer', async () => {
  let builds = 0
  const build = () => buildConsole({ onBuild: () => builds++, root })
  expect(await Promise.all([build(), build(), build()])).toEqual(Array(3).fill(join(folder, 'dist')))
  expect([builds, await readTitle()]).toEqual([1, expect.stringContaining('first')])
  await writeTitle('second')
  await build()
  expect([builds, await readTitle()]).toEqual([2, expect.stringContaining('second')])
  await build()
  expect(builds).toBe(2)
  expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^dist-/))
})

test('treats a source that changes during a build as newer than that build', async () => {
  let builds = 0
  const changing = `import { writeFileSync } from 'node:fs'
export default { base: './', plugins: [{ name: 'change', generateBundle: () => writeFileSync('src/main.js', 'document.title = "late"') }] }`
  await writeFile(join(folder, 'vite.config.ts'), changing)
  await buildConsole({ onBuild: () => builds++, root })
  expect(await readTitle()).toContain('first')
  await buildConsole({ onBuild: () => builds++, root })
  expect([builds, await readTitle()]).toEqual([2, expect.stringContaining('late')])
})

test('omits and reports a part that is not installed, and builds again once it is there', async () => {
  let builds = 0
  const part = resolve(import.meta.dirname, '../../console/wallet-connect-part.ts')
  const config = (base: string) => `import { walletConnectPart } from ${JSON.stringify(part)}
export default { base: './', plugins: [walletConnectPart(${base})] }`
  await writeFile(join(folder, 'vite.config.ts'), config(`'file:///no/such/folder/'`))
  await writeFile(
    join(folder, 'src', 'main.js'),
    `import { SignClient } from '@walletconnect/sign-client'; SignClient.init()`,
  )
  await buildConsole({ onBuild: () => builds++, root })
  expect(await readTitle()).toContain('was built without WalletConnect')
  expect(await readdir(join(folder, 'dist'))).toContain('without-wallet-connect.txt')
  // The package is installed here, so the build lacks a part that it could have.
  await writeFile(join(folder, 'vite.config.ts'), config(''))
  await utimes(join(folder, 'vite.config.ts'), new Date(0), new Date(0))
  await buildConsole({ onBuild: () => builds++, root })
  expect(await readTitle()).not.toContain('was built without WalletConnect')
  expect(await readdir(join(folder, 'dist'))).not.toContain('without-wallet-connect.txt')
  await buildConsole({ onBuild: () => builds++, root })
  expect(builds).toBe(2)
})
