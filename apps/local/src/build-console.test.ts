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
  for (const name of ['compress-assets.ts', 'wallet-connect-part.ts']) await writeFile(join(folder, name), '')
  await writeFile(join(folder, 'index.html'), '<script type="module" src="./src/main.js"></script>')
  await say('first')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const say = (word: string) => writeFile(join(folder, 'src', 'main.js'), `document.title = '${word}'`)

/** What the built console says. */
async function said(): Promise<string> {
  const assets = join(folder, 'dist', 'assets')
  const [script = ''] = await readdir(assets)
  return readFile(join(assets, script), 'utf8')
}

test('several at once build it once, and it is built again when a source is newer', async () => {
  let builds = 0
  const build = () => buildConsole({ onBuild: () => builds++, root })
  expect(await Promise.all([build(), build(), build()])).toEqual(Array(3).fill(join(folder, 'dist')))
  expect([builds, await said()]).toEqual([1, expect.stringContaining('first')])
  await say('second')
  await build()
  expect([builds, await said()]).toEqual([2, expect.stringContaining('second')])
  await build()
  expect(builds).toBe(2)
  expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^dist-/))
})

test('a source that is changed while a build runs is newer than that build', async () => {
  let builds = 0
  const changing = `import { writeFileSync } from 'node:fs'
export default { base: './', plugins: [{ name: 'change', generateBundle: () => writeFileSync('src/main.js', 'document.title = "late"') }] }`
  await writeFile(join(folder, 'vite.config.ts'), changing)
  await buildConsole({ onBuild: () => builds++, root })
  expect(await said()).toContain('first')
  await buildConsole({ onBuild: () => builds++, root })
  expect([builds, await said()]).toEqual([2, expect.stringContaining('late')])
})

test('a part that is not installed is left out and noted, and the console is built again once it is there', async () => {
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
  expect(await said()).toContain('was built without WalletConnect')
  expect(await readdir(join(folder, 'dist'))).toContain('without-wallet-connect.txt')
  // Here it is installed, so that the build lacks what it could have.
  await writeFile(join(folder, 'vite.config.ts'), config(''))
  await utimes(join(folder, 'vite.config.ts'), new Date(0), new Date(0))
  await buildConsole({ onBuild: () => builds++, root })
  expect(await said()).not.toContain('was built without WalletConnect')
  expect(await readdir(join(folder, 'dist'))).not.toContain('without-wallet-connect.txt')
  await buildConsole({ onBuild: () => builds++, root })
  expect(builds).toBe(2)
})
