// Wallets, API keys and passwords on the command line.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cliCommand } from '../run-cli.ts'
import { type CliHome, createCliHome, hello } from './cli-home.ts'

/** The command, as a part of a shell line. */
let cli = ''
let home: CliHome
beforeAll(async () => {
  cli = (await cliCommand()).map((part) => `'${part}'`).join(' ')
  home = await createCliHome()
})
afterAll(() => home?.[Symbol.asyncDispose]())

test('creates, shows, uses, exports and replaces a wallet', async () => {
  const { folder, cairn } = home
  const config = 'wallet'
  const made = JSON.parse((await cairn(['wallet', 'create', '--json'], { config })).out)
  expect((await cairn(['wallet', 'show'], { config })).out.trim()).toBe(made.address.toLowerCase())
  expect((await cairn(['wallet', 'create'], { config })).code).toBe(1)
  expect((await cairn(['wallet', 'sign', 'hello'], { config })).out).toMatch(/^0x[0-9a-f]{130}\n$/)
  expect((await cairn(['wallet', 'export', 'out.json'], { config })).code).toBe(0)
  expect(statSync(join(folder, 'out.json')).mode & 0o777).toBe(0o600)
  const other = JSON.parse((await cairn(['wallet', 'import', 'out.json', '--json'], { config: 'other' })).out)
  expect(other.address).toBe(made.address)
  const key = (await cairn(['api-key', 'new', '--name', 'laptop', '-q'], { config })).out.trim()
  expect(key).toMatch(/^cairn_/)
  const listed = (await cairn(['api-key', 'list', '--json'], { config })).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(listed).toMatchObject([{ name: 'laptop' }])
  expect((await cairn(['api-key', 'revoke', listed[0].id], { config })).code).toBe(0)
  expect((await cairn(['balance'], { config, env: { CAIRN_API_KEY: key } })).code).toBe(4)
  expect((await cairn(['wallet', 'remove', '--yes'], { config })).code).toBe(0)
  expect((await cairn(['wallet', 'show'], { config })).code).toBe(4)
})

test('an API key gets the requested rights and expiry; its name cannot write to the terminal', async () => {
  const { network, cairn, storeWallet } = home
  const config = 'rights'
  await storeWallet(config)
  const made = await cairn(['api-key', 'new'], { config })
  expect(made.err).toMatch(
    /It expires \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\. Anyone with this key can use files:read, files:write, account\./,
  )
  const narrow = ['api-key', 'new', '--print-only', '--name', 'narrow', '--scope', 'files:read', '--json']
  const json = JSON.parse((await cairn([...narrow, '--expires', '2100-01-01'], { config })).out)
  expect(json).toMatchObject({ scopes: ['files:read'], expiresAt: '2100-01-01T00:00:00.000Z' })
  expect(JSON.parse((await cairn([...narrow, '--expires', 'never'], { config })).out).expiresAt).toBeNull()
  const env = { CAIRN_API_KEY: json.apiKey }
  expect((await cairn(['balance'], { config, env })).code).toBe(0)
  expect((await cairn(['api-key', 'list'], { config, env })).code).toBe(4)
  for (const wrong of [
    ['--scope', 'admin'],
    ['--expires', 'soon'],
    ['--expires', '2020-01-01'],
  ])
    expect((await cairn([...narrow, ...wrong], { config })).code, wrong.join(' ')).toBe(2)
  const refused = await cairn(['api-key', 'new', '--name', 'a\nADMIN'], { config })
  expect([refused.code, refused.err.split('\n')[0]]).toEqual([
    2,
    'error: The name contains characters that cannot be displayed [INVALID_LABEL]',
  ])
  // A wallet from before such names were rejected.
  const { db } = network.storage.context
  const id = json.apiKey.split('_')[1]
  const name = 'old\nADMIN\u001b[2J\u009b1m\u202e'
  await db.write((trx) => trx.updateTable('api_key').set({ name }).where('id', '=', id).execute())
  const listed = await cairn(['api-key', 'list'], { config })
  expect(listed.out).toContain('old\\nADMIN\\u001b[2J\\u009b1m\\u202e')
  const lines = (await cairn(['api-key', 'list', '--json'], { config })).out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).name)).toContain(name)
  expect(`${listed.out}${lines.join('')}`.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
})

test('a new API key that cannot be saved is printed, and none is created if the file of the keys cannot be read', async () => {
  const { folder, cairn, storeWallet } = home
  const config = 'unsaved'
  await storeWallet(config)
  const keys = join(folder, config, 'keys.json')
  writeFileSync(keys, '{}', { mode: 0o644 })
  const refused = await cairn(['api-key', 'new', '--json'], { config })
  expect([refused.code, refused.out, JSON.parse(refused.err).error.hint]).toEqual([
    1,
    '',
    expect.stringContaining('chmod 600'),
  ])
  chmodSync(keys, 0o600)
  mkdirSync(`${keys}.lock`)
  const { code, out, err } = await cairn(['api-key', 'new', '--json'], { config })
  expect(code).toBe(1)
  expect(JSON.parse(err).error.message).toMatch(/^The new key was created, but could not be saved\. /)
  const env = { CAIRN_API_KEY: JSON.parse(out).apiKey }
  const listed = await cairn(['api-key', 'list', '--json'], { config, env })
  expect(listed.out.trim().split('\n')).toHaveLength(1)
})

test('another wallet does not use the keys and sessions of the previous one', async () => {
  const { network, folder, cairn } = home
  const [config, first] = ['switched', { config: 'switched' }]
  expect((await cairn(['upload', 'hello.txt'], first)).out).toContain(hello)
  expect((await cairn(['keys', 'list'], first)).code).toBe(0)
  const sessions = () => readFileSync(join(folder, config, 'sessions.json'), 'utf8')
  const test = network.profile.wallet?.address.toLowerCase() ?? ''
  expect(sessions()).toContain(test)
  const made = await cairn(['wallet', 'create', '--json'], first)
  const { address }: { address: string } = JSON.parse(made.out)
  const refused = await cairn(['upload', 'hello.txt'], first)
  expect([refused.code, refused.out]).toEqual([4, ''])
  expect(refused.err).toContain(
    `No valid API key for your wallet ${address.toLowerCase()}: the saved key belongs to ${test}`,
  )
  const listed = await cairn(['keys', 'list'], first)
  expect([listed.code, listed.err]).toEqual([
    0,
    expect.stringContaining(`Closed the session of ${test} with the key nodes`),
  ])
  expect(sessions()).toContain(address.toLowerCase())
  expect(sessions()).not.toContain(test)
  const key = await cairn(['api-key', 'new'], first)
  expect(key.err).toContain(`It replaces the key for ${test}`)
  expect((await cairn(['upload', 'hello.txt'], first)).out).toContain(hello)
  // A third wallet: anything that does not match it is reported immediately.
  const third = await cairn(['wallet', 'create', '--force'], first)
  expect(third.err).toContain(`belongs to ${address.toLowerCase()} and is no longer used`)
  expect((await cairn(['api-key', 'show'], first)).code).toBe(4)
})

test('reports a wrong password, and keeps the wallet', async () => {
  const { folder, cairn, storeWallet } = home
  const config = 'locked'
  await storeWallet(config)
  writeFileSync(join(folder, 'wrong'), 'nope\n')
  const { code, err } = await cairn(['wallet', 'sign', 'x'], {
    config,
    env: { CAIRN_PASSWORD_FILE: join(folder, 'wrong') },
  })
  expect(code).toBe(4)
  expect(err).not.toContain('nope')
})

test('reads passwords and keys from standard input, one per line', async () => {
  const { folder, cairn } = home
  const [config, env] = ['piped', { CAIRN_PASSWORD_FILE: '' }]
  const stdin = (args: string[], input: string) => cairn([...args, '--password-stdin'], { config, env, input })
  const key = `0x${'11'.repeat(32)}`
  expect((await stdin(['wallet', 'import'], `${key}\nfirst\n`)).out).toContain(
    'Wallet 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
  )
  expect((await stdin(['wallet', 'password'], 'first\nsecond\n')).code).toBe(0)
  expect((await stdin(['wallet', 'sign', 'x'], 'first\n')).code).toBe(4)
  expect((await stdin(['wallet', 'sign', 'x'], 'second\n')).out).toMatch(/^0x[0-9a-f]{130}\n$/)
  expect((await stdin(['wallet', 'sign', 'x'], '')).code).toBe(2)
  const made = (await stdin(['api-key', 'new', '--print-only', '-q'], 'second\n')).out.trim()
  expect((await cairn(['api-key', 'show'], { config, env })).code).toBe(4)
  expect((await cairn(['api-key', 'import', made], { config, env })).code).toBe(2)
  expect((await stdin(['api-key', 'import'], `${made}\n`)).code).toBe(0)
  expect((await cairn(['api-key', 'show'], { config, env })).out.trim()).toBe(made)
  for (const [wrong, message] of [
    ['nonsense', 'does not accept this API key, which was not saved'],
    [`${made.slice(0, -1)}${made.endsWith('0') ? '1' : '0'}`, 'does not accept this API key, which was not saved'],
    ['two words', 'The input does not contain an API key'],
    ['schlüssel', 'The input does not contain an API key'],
  ] as const) {
    const refused = await stdin(['api-key', 'import'], `${wrong}\n`)
    expect([refused.code, refused.err], wrong).toEqual([4, expect.stringContaining(message)])
    expect((await cairn(['api-key', 'show'], { config, env })).out.trim()).toBe(made)
  }
  const narrow = await stdin(['api-key', 'new', '--print-only', '-q', '--scope', 'files:write'], 'second\n')
  expect((await stdin(['api-key', 'import'], narrow.out)).code).toBe(0)
  expect((await stdin(['api-key', 'import'], `${made}\n`)).code).toBe(0)
  writeFileSync(join(folder, 'api-key'), `${made}\n`, { mode: 0o600 })
  const imported = await cairn(['api-key', 'import', '--api-key-file', 'api-key'], { config: 'by-file', env })
  expect(imported.code).toBe(0)
  expect(statSync(join(folder, 'by-file', 'keys.json')).mode & 0o777).toBe(0o600)
  expect((await cairn(['api-key', 'clear'], { config, env })).code).toBe(0)
  expect((await cairn(['api-key', 'show'], { config, env })).code).toBe(4)
})

test('does not echo a password typed at a terminal', async () => {
  const { network, folder } = home
  const line = `${cli} wallet create`
  const output = await new Promise<string>((done, fail) => {
    const terminal = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      env: {
        ...process.env,
        CAIRN_CONFIG_HOME: join(folder, 'typed'),
        CAIRN_NETWORK: join(network.home, 'network.json'),
      },
    })
    let text = ''
    let asked = 0
    terminal.stdout.on('data', (piece: Buffer) => {
      text += piece.toString()
      const prompts = ['Choose a password', 'Repeat'].filter((prompt) => text.includes(prompt)).length
      for (; asked < prompts; asked++) terminal.stdin.write('s3cret-words\r')
    })
    terminal.on('error', fail)
    terminal.on('close', () => done(text))
  })
  expect(output).toContain('Wallet 0x')
  expect(output).not.toContain('s3cret')
  expect(existsSync(join(folder, 'typed', 'wallet.json'))).toBe(true)
})

test('Ctrl-C and no at a question end with 130 and leave everything unchanged', async () => {
  const { folder, storeWallet } = home
  await storeWallet('asked')
  const line = `exec ${cli} wallet remove`
  for (const answer of ['\u0003', 'n\r']) {
    const ended = await new Promise<{ code: number | null; text: string }>((done, fail) => {
      const terminal = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
        env: { ...process.env, CAIRN_CONFIG_HOME: join(folder, 'asked') },
      })
      let text = ''
      let isAnswered = false
      terminal.stdout.on('data', (piece: Buffer) => {
        text += piece.toString()
        if (isAnswered || !text.includes('[y/N]')) return
        isAnswered = true
        terminal.stdin.write(answer)
      })
      terminal.on('error', fail)
      terminal.on('close', (code) => done({ code, text }))
    })
    expect(ended.code).toBe(130)
    expect(ended.text).not.toContain('error:')
    expect(existsSync(join(folder, 'asked', 'wallet.json'))).toBe(true)
  }
})

test('sends nothing that cannot be an API key', async () => {
  const { folder, cairn } = home
  for (const key of ['two\nlines', 'two words', 'ключ', '  '])
    expect(await cairn(['balance'], { env: { CAIRN_API_KEY: key } })).toMatchObject({
      code: 4,
      err: expect.stringContaining('error: CAIRN_API_KEY does not contain an API key'),
    })
  const file = join(folder, 'no-key.txt')
  writeFileSync(file, '')
  expect(await cairn(['balance', '--api-key-file', file])).toMatchObject({
    code: 4,
    err: expect.stringContaining(`error: ${file} does not contain an API key`),
  })
})

test('refuses secrets that others can read', async () => {
  const { folder, cairn } = home
  const keys = join(folder, 'open', 'keys.json')
  mkdirSync(join(folder, 'open'))
  writeFileSync(keys, '{}', { mode: 0o644 })
  const { code, err } = await cairn(['balance'], { config: 'open' })
  expect(code).toBe(1)
  expect(err).toContain('chmod 600')
})
