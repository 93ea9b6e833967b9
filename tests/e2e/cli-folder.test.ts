// Changes of stored folders with the real program.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliHome, createCliHome } from './cli-home.ts'

let home: CliHome
let site = ''
beforeAll(async () => {
  home = await createCliHome()
  const folder = join(home.folder, 'site')
  mkdirSync(join(folder, 'drafts'), { recursive: true })
  for (const path of ['index.html', 'drafts/one.md']) writeFileSync(join(folder, path), `first ${path}`)
  site = (await json(['upload', 'site']))['cid'] as string
})
afterAll(() => home?.[Symbol.asyncDispose]())

async function json(args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await home.cairn([...args, '--json'])
  expect(code, err).toBe(0)
  return JSON.parse(out.split('\n')[0] ?? '')
}

test('puts a file into a folder and removes others: the name follows, the folder itself stays', async () => {
  await json(['name', 'create', 'my site'])
  await json(['name', 'publish', 'my site', site])
  writeFileSync(join(home.folder, 'index.html'), 'second')
  const put = await json(['folder', 'put', 'my site', 'index.html'])
  expect(put).toMatchObject({ sizeBytes: 6, published: expect.stringMatching(/^k51/), name: 'site' })
  expect((await home.cairn(['cat', 'my site/index.html'])).out).toBe('second')
  expect((await home.cairn(['cat', `${site}/index.html`])).out).toBe('first index.html')

  const removed = await home.cairn(['folder', 'rm', 'my site', 'drafts', '--name', 'smaller'])
  expect(removed.code, removed.err).toBe(0)
  expect(removed.out).toContain('smaller  0 B sent')
  expect((await home.cairn(['ls', 'my site', '--quiet'])).out.trim().split('\n')).toHaveLength(1)
  // Not published, and a folder on disk below its own path.
  const cid = (await json(['folder', 'put', 'my site', 'site', 'old/copy', '--no-publish']))['cid'] as string
  expect((await home.cairn(['cat', `${cid}/old/copy/drafts/one.md`])).out).toBe('first drafts/one.md')
  expect((await home.cairn(['ls', 'my site', '--quiet'])).out.trim().split('\n')).toHaveLength(1)
})

test('stores nothing for a name of another account, and names the stored folder if it cannot be published', async () => {
  const { cairn, storeWallet } = home
  const listCids = async () => (await cairn(['ls', '--quiet'])).out
  await storeWallet('stranger')
  const stranger = { config: 'stranger' }
  expect(await cairn(['api-key', 'new'], stranger)).toMatchObject({ code: 0 })
  const { name } = JSON.parse((await cairn(['name', 'create', '--json'], stranger)).out)
  expect(await cairn(['name', 'publish', name, site], stranger)).toMatchObject({ code: 0 })
  const before = await listCids()
  const refused = await cairn(['folder', 'put', name, 'hello.txt', '--json'])
  expect([refused.code, JSON.parse(refused.err).error.code]).toEqual([3, 'NAME_NOT_FOUND'])
  expect(await listCids()).toBe(before)

  await json(['name', 'create', 'sealed', '--local', '--encrypt'])
  await json(['name', 'publish', 'sealed', site])
  writeFileSync(join(home.folder, 'other password'), 'wrong\n', { mode: 0o600 })
  const env = { CAIRN_PASSWORD_FILE: join(home.folder, 'other password') }
  const unpublished = await cairn(['folder', 'put', 'sealed', 'hello.txt', '--json'], { env })
  expect([unpublished.code, JSON.parse(unpublished.err).error.code]).toEqual([4, 'INVALID_KEYSTORE'])
  const { cid, published } = JSON.parse(unpublished.out)
  expect(published).toBeUndefined()
  expect((await cairn(['cat', `${cid}/hello.txt`])).code).toBe(0)
})

test('gateway URLs with a trailing slash are joined with a single one', async () => {
  const { network, folder, cairn } = home
  const path = join(folder, 'slash.json')
  writeFileSync(path, JSON.stringify({ ...network.profile, gateway: `${network.profile.gateway}/` }))
  for (const args of [
    ['upload', 'hello.txt'],
    ['folder', 'put', site, 'hello.txt', '--no-publish'],
  ]) {
    const { out, err } = await cairn([...args, '--json'], { env: { CAIRN_NETWORK: path } })
    expect(err).toBe('')
    const { cid, url } = JSON.parse(out)
    expect(url).toBe(`${network.profile.gateway}/ipfs/${cid}`)
  }
})

test('reports what is wrong', async () => {
  const cases: [string[], number, string][] = [
    [['folder', 'put', site], 2, 'folder put requires a file or folder to add'],
    [['folder', 'rm', site], 2, 'folder rm requires paths in the folder'],
    [['folder', 'rm', site, 'missing'], 3, 'The folder contains no missing'],
    [['folder', 'put', site, 'hello.txt', 'drafts'], 1, 'drafts is a folder'],
    [['folder', 'put', site, 'not there'], 1, 'not there'],
    [['folder', 'put', 'nobody’s label', 'hello.txt'], 3, 'neither a CID nor the label'],
    [['folder', 'move', site, 'a'], 2, 'Unknown action of folder'],
  ]
  for (const [args, code, words] of cases) {
    const run = await home.cairn(args)
    expect(run.code, run.err).toBe(code)
    expect(run.err).toContain(words)
  }
})
