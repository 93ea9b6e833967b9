// Runs the commands as an operator does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Drill, openDrill } from './drill.fixture.ts'

let drill: Drill
beforeEach(async () => {
  drill = await openDrill(undefined)
})
afterEach(() => drill[Symbol.asyncDispose]())

/** Each command is a separate process, and a test runs up to seven. */
const commandsTimeoutMs = 120_000

/** Runs a command and returns its output lines, parsed if they are JSON. */
async function run(...args: string[]) {
  return runProgram('maintain-main.ts', {}, ...args)
}

async function runProgram(program: string, environment: Record<string, string>, ...args: string[]) {
  const { home } = drill.config()
  const child = spawn(
    process.execPath,
    ['--conditions=@cairn/source', join(import.meta.dirname, '..', program), ...args],
    {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        CAIRN_HOME: home,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  let complained = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complained += chunk
  })
  const [code] = await once(child, 'close')
  const lines = output.split('\n').filter((line) => line !== '')
  return { code, lines, json: args.includes('--json') ? lines.map((line) => JSON.parse(line)) : [], complained }
}

test(
  'check reports mismatches, repair reports its changes, and the exit code says whether all is well',
  async () => {
    {
      await using running = await drill.start()
      const key = await running.signIn()
      await running.upload(key, 'a.txt', Buffer.from('hello'))
      expect(await run('check')).toMatchObject({ code: 0, lines: ['The database matches the packs.'] })
      // The others change rows, so with SQLite the service must be stopped.
      for (const command of ['repair', 'recover']) {
        const { code, complained } = await run(command)
        expect([code, complained]).toEqual([78, expect.stringContaining(`(process ${process.pid})`)])
      }
    }
    const [pack = ''] = await drill.listPacks()
    const path = join(drill.packFolder, 'objects', 'packs', pack)
    await rename(path, join(drill.packFolder, 'away'))
    expect(await run('check', '--read-data', '1', '--json')).toMatchObject({
      code: 1,
      json: [
        { kind: 'missing-pack', packId: expect.stringMatching(/^\d+$/), objectKey: `packs/${pack}` },
        { kind: 'summary', findings: 1 },
      ],
    })
    const repaired = await run('repair')
    expect([repaired.code, repaired.lines[0]]).toEqual([1, expect.stringContaining(`missing pack      packs/${pack}`)])
    await rename(join(drill.packFolder, 'away'), path)
    expect(await run('repair', '--json')).toMatchObject({
      code: 0,
      json: [
        { finding: { kind: 'returned-pack' }, done: { kind: 'marked', damaged: 0 } },
        { kind: 'summary', fixed: 1, left: 0 },
      ],
    })
    expect((await run('check')).code).toBe(0)
  },
  commandsTimeoutMs,
)

test(
  'recover reports the recovered content, and how to list it',
  async () => {
    {
      await using running = await drill.start()
      await running.upload(await running.signIn(), 'a.txt', Buffer.from('hello'))
    }
    await drill.loseDatabase()
    const refused = await run('recover', '--json')
    expect([refused.code, JSON.parse(refused.complained).code]).toEqual([78, 'RECOVERY_NEEDED'])
    const taken = await run('recover', '--take-over')
    expect([taken.code, taken.lines.at(-1)]).toEqual([0, expect.stringContaining('--owner <address>')])
    const listed = await run('recover', '--owner', drill.address, '--json')
    expect(listed).toMatchObject({
      code: 0,
      json: [
        { kind: 'listed', sizeBytes: 5 },
        { kind: 'summary', takenIn: 0, listed: 1, unlisted: 0 },
      ],
    })
  },
  commandsTimeoutMs,
)

test.each([
  [['repear'], 'Unknown command "repear"'],
  [['check', '--read-data', '2'], '--read-data must be a number from 0 to 1, but is 2'],
  [['recover', '--owner', 'me'], '--owner must be a wallet address, but is me'],
  [['recover', '--discard', 'all'], '--discard requires --unlisted'],
  [['recover', '--unlisted', '--take-over'], '--unlisted cannot be combined with --take-over or --owner'],
  [['check', '--fast'], "Unknown option '--fast'"],
])('%j is rejected with the usage', async (args, message) => {
  const { code, complained } = await run(...args)
  expect([code, complained]).toEqual([2, expect.stringContaining(message)])
  expect(complained).toContain('npm run storage:recover')
  expect(complained).not.toMatch(/\n\s+at /)
})

test(
  'a command without a store creates none',
  async () => {
    await rm(drill.config().home, { recursive: true, force: true })
    for (const command of ['check', 'repair', 'recover']) {
      const { code, complained } = await run(command)
      expect([code, complained]).toEqual([78, expect.stringContaining('does not contain a pack folder')])
    }
  },
  commandsTimeoutMs,
)

test(
  '--help prints the usage; the comparison of the books reports wrong settings and arguments without a stack',
  async () => {
    const help = await run('--help')
    expect([help.code, help.complained, help.lines[0]]).toEqual([0, '', expect.stringContaining('storage:check')])
    const usage = await runProgram('reconcile-main.ts', {}, '--help')
    expect([usage.code, usage.lines[0]]).toEqual([0, 'npm run reconcile'])
    const wrong = await runProgram('reconcile-main.ts', {}, '--json')
    expect([wrong.code, wrong.complained]).toEqual([2, expect.stringContaining("Unknown option '--json'")])
    const settings = await runProgram('reconcile-main.ts', { CAIRN_PORT_OFFSET: 'high' })
    expect([settings.code, settings.complained.split('\n').length]).toEqual([78, 3])
    expect(settings.complained).toContain('CAIRN_PORT_OFFSET must be a whole number')
    const missing = await runProgram('reconcile-main.ts', {})
    expect([missing.code, missing.lines]).toEqual([78, []])
    expect(missing.complained).toMatch(/^There is no database at .*\nRun the command with the settings of the service/)
    await (await drill.start())[Symbol.asyncDispose]()
    const books = await runProgram('reconcile-main.ts', {})
    expect([books.code, JSON.parse(books.lines.join('\n')).findings]).toEqual([0, []])
  },
  commandsTimeoutMs,
)
