// Behaviour that requires a terminal: a real one, created by `script` of util-linux.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { programEnvironment } from '../program-environment.ts'
import { cliCommand } from '../run-cli.ts'

const hello = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-terminal-'))
  writeFileSync(join(folder, 'hello.txt'), 'hello world')
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

type Answer = [question: string, typed: string]

/** Runs the program in a terminal; types each answer when its question is shown. */
async function atTerminal(
  args: string[],
  answers: Answer[] = [],
  config = 'config',
): Promise<{ code: number | null; output: string }> {
  const line = [...(await cliCommand()), ...args].map((part) => `'${part}'`).join(' ')
  return await new Promise((done, fail) => {
    const terminal = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      cwd: folder,
      env: {
        ...programEnvironment,
        TERM: 'xterm',
        CAIRN_NETWORK: join(network.home, 'network.json'),
        CAIRN_CONFIG_HOME: join(folder, config),
      },
    })
    const waiting = [...answers]
    let output = ''
    let seen = 0
    terminal.stdout.on('data', (piece: Buffer) => {
      output += piece.toString()
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        const at = output.indexOf(next[0], seen)
        if (at < 0) return
        seen = at + next[0].length
        terminal.stdin.write(next[1])
        waiting.shift()
      }
    })
    terminal.on('error', fail)
    terminal.on('close', (code) => done({ code, output }))
  })
}

test('deleting asks for confirmation, and only yes confirms it', async () => {
  expect((await atTerminal(['upload', 'hello.txt'])).code).toBe(0)
  const kept = await atTerminal(['rm', hello], [['[y/N]', 'n\r']])
  expect(kept.code).toBe(130)
  expect(kept.output).toContain('Nothing was deleted')
  const stopped = await atTerminal(['rm', hello], [['[y/N]', '\u0003']])
  expect(stopped.code).toBe(130)
  expect((await atTerminal(['ls', '--json'])).output).toContain('hello.txt')
  const gone = await atTerminal(['rm', hello], [['[y/N]', 'nx\u007f\u007fyes\r']])
  expect(gone.output).toContain(`Deleted ${hello}`)
  expect(gone.code).toBe(0)
  expect((await atTerminal(['ls', '--json'])).output).not.toContain('hello.txt')
})

test('a password mistyped the second time creates no wallet', async () => {
  const { code, output } = await atTerminal(
    ['wallet', 'create'],
    [
      ['Choose a password', 'one-secret\r'],
      ['Repeat', 'other-secret\r'],
    ],
    'mistyped',
  )
  expect(code).toBe(2)
  expect(output).toContain('differ')
  expect(output).not.toContain('secret')
  expect(existsSync(join(folder, 'mistyped', 'wallet.json'))).toBe(false)
})

test('Ctrl-C at the password prompt ends with 130 and leaves nothing', async () => {
  const { code, output } = await atTerminal(
    ['wallet', 'create'],
    [['Choose a password', 'half-a-sec\u0003']],
    'stopped',
  )
  expect(code).toBe(130)
  expect(output).not.toContain('half')
  expect(existsSync(join(folder, 'stopped'))).toBe(false)
})

test('a terminal shows progress and clears it again; --quiet shows none', async () => {
  writeFileSync(join(folder, 'big.bin'), Buffer.alloc(4 * 1024 * 1024, 7))
  const shown = await atTerminal(['upload', 'big.bin'])
  expect(shown.code).toBe(0)
  expect(shown.output).toContain('\r\u001b[K')
  expect(shown.output).toContain('4.00 MiB')
  const quiet = await atTerminal(['upload', 'big.bin', '--quiet'])
  expect(quiet.code).toBe(0)
  expect(quiet.output).not.toContain('\u001b[')
})

test('untrusted output cannot move the cursor', async () => {
  const { code, output } = await atTerminal(['upload', 'hello.txt', '--name', 'a\u001b[2Jb', '--no-color'])
  expect(code).not.toBe(0)
  expect(output).not.toContain('\u001b[2J')
  const missing = await atTerminal(['upload', 'no\u001b[2Jfile', '--no-color'])
  expect(missing.code).toBe(1)
  expect(missing.output).toContain('Cannot read no\\u001b[2Jfile')
})
