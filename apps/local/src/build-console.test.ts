import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildConsole } from './build-console.ts'

let root = ''
let folder = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cairn-build-'))
  folder = join(root, 'apps', 'console')
  for (const path of [join(folder, 'src'), join(folder, 'public')]) await mkdir(path, { recursive: true })
  // The console uses one package, which uses another.
  await writePackage('client', { '@cairn/wire': '1.0.0', valibot: '1.5.0' })
  await writePackage('wire', {})
  await symlink(resolve(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'))
  await writeFile(join(root, 'package-lock.json'), '{}')
  const manifest = { name: 'console', type: 'module', dependencies: { '@cairn/client': '1.0.0' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'vite.config.ts'), 'export default { base: "./" }')
  await writeFile(join(folder, 'index.html'), '<script type="module" src="./src/main.js"></script>')
  await writeTitle('first')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const writeTitle = (word: string) => writeFile(join(folder, 'src', 'main.js'), `document.title = '${word}'`)

async function writePackage(name: string, dependencies: Record<string, string>): Promise<void> {
  await mkdir(join(root, 'packages', name, 'src'), { recursive: true })
  await writeFile(join(root, 'packages', name, 'package.json'), JSON.stringify({ name, dependencies }))
}

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

test('builds again when a file of the console, or of a package that it bundles, changes, but not for what tools write', async () => {
  let builds = 0
  const build = async () => {
    await buildConsole({ onBuild: () => builds++, root })
    return builds
  }
  expect(await build()).toBe(1)
  const sources = ['apps/console/new-part.ts', 'packages/client/src/new.ts', 'packages/wire/src/new.ts']
  for (const [at, name] of [...sources, 'packages/wire/package.json'].entries()) {
    await writeFile(join(root, name), '{}')
    expect([name, await build()]).toEqual([name, at + 2])
  }
  const now = builds
  for (const name of ['tsconfig.tsbuildinfo', 'dist/assets/new.js', 'dist-1-2/index.html', 'src/main.test.ts']) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), '')
    expect([name, await build()]).toEqual([name, now])
  }
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
  // The package is installed here, so the build lacks a part that it could contain.
  await writeFile(join(folder, 'vite.config.ts'), config(''))
  await utimes(join(folder, 'vite.config.ts'), new Date(0), new Date(0))
  await buildConsole({ onBuild: () => builds++, root })
  expect(await readTitle()).not.toContain('was built without WalletConnect')
  expect(await readdir(join(folder, 'dist'))).not.toContain('without-wallet-connect.txt')
  await buildConsole({ onBuild: () => builds++, root })
  expect(builds).toBe(2)
})
