// The state of a local chain, truncated while anvil was writing it.
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findAnvil } from './anvil.ts'
import { keepStateCopy, repairState } from './anvil-state.ts'
import { startLocalChain } from './local-chain.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-anvil-state-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

test('a damaged state without a copy is set aside', async () => {
  const file = join(home, 'state.json')
  expect(await repairState(file)).toBeUndefined()
  await writeFile(file, '{"block":{"numb')
  const notice = await repairState(file)
  const [left = '', ...others] = await readdir(home)
  expect(others).toEqual([])
  expect(notice).toContain(join(home, left))
  expect(notice).toContain('starts empty')
  expect(await readFile(join(home, left), 'utf8')).toBe('{"block":{"numb')
})

test('does not copy a damaged state', async () => {
  const file = join(home, 'state.json')
  await writeFile(file, '{"block":1}')
  await keepStateCopy(file)
  await writeFile(file, '')
  await keepStateCopy(file)
  expect(await repairState(file)).toContain('continues from its copy')
  expect(await readFile(file, 'utf8')).toBe('{"block":1}')
})

test('a chain whose state was cut off continues from its copy', async () => {
  const program = findAnvil(process.env['PATH'])
  if (program === undefined) throw new Error('there is no program for a local chain')
  const notices: string[] = []
  const start = () =>
    startLocalChain(program, {
      home,
      host: '127.0.0.1',
      port: 0,
      wallet: `0x${'7'.repeat(40)}`,
      mineEveryMs: 0,
      onNotice: (text) => notices.push(text),
    })
  const countBlocks = (url: string) => createPublicClient({ transport: http(url) }).getBlockNumber()
  const file = join(home, 'chain', 'state.json')
  let before = 0n
  {
    await using chain = await start()
    before = await countBlocks(chain.url)
  }
  {
    await using _again = await start()
  }
  await truncate(file, 1000)
  await using chain = await start()
  expect(notices).toEqual([expect.stringContaining('continues from its copy')])
  expect(await countBlocks(chain.url)).toBe(before)
}, 60_000)
