// The peer's published CLI 0.4.7, unchanged, through a terminal, against the local network.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { encryptKeystore } from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'

const require = createRequire(import.meta.url)
const program = require.resolve('@lighthouse-web3/sdk/dist/Commands/index.js')
const hosts = require.resolve('@lighthouse-web3/sdk/dist/lighthouse.config.js')
const keyHosts = require.resolve('@lighthouse-web3/kavach/dist/config/index.js')

let network: TestNetwork
let folder = ''
const privateKey = generatePrivateKey()
const password = 'correct horse'
const configFile = () => join(folder, 'config', '@lighthouse-web3', 'sdk-nodejs', 'config.json')

/** Runs the CLI in a separate terminal; answers each prompt that appears. */
function lighthouse(args: string[], answers: [prompt: string, answer: string][] = []): Promise<string> {
  const quoted = [process.execPath, '--require', join(folder, 'hosts.cjs'), program, ...args]
    .map((part) => `'${part}'`)
    .join(' ')
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['--quiet', '--return', '--command', quoted, '/dev/null'], {
      cwd: folder,
      env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), NODE_OPTIONS: '', TERM: 'dumb' },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const waiting = [...answers]
    let said = ''
    let read = 0
    const listen = (piece: Buffer) => {
      said += piece.toString()
      const next = waiting[0]
      const at = next === undefined ? -1 : said.indexOf(next[0], read)
      if (next !== undefined && at >= 0) {
        read = at + next[0].length
        waiting.shift()
        child.stdin.write(`${next[1]}\n`)
      }
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.on('error', reject)
    child.on('close', () => resolve(said))
  })
}

/**
 * Gives the CLI the same wallet, with a password that is cheap to check: its own costs each command that opens it a second of
 * processor time. The first test imports one, and opens it.
 */
async function storeLightWallet(): Promise<void> {
  const config: Record<string, unknown> = JSON.parse(readFileSync(configFile(), 'utf8'))
  config['LIGHTHOUSE_GLOBAL_WALLET'] = await encryptKeystore(privateKey, password, { logN: 4 })
  config['LIGHTHOUSE_GLOBAL_PUBLICKEY'] = privateKeyToAccount(privateKey).address
  writeFileSync(configFile(), JSON.stringify(config))
}

beforeAll(async () => {
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-published-cli-'))
  const { api, upload, gateway, keyRouter } = network.profile
  writeFileSync(
    join(folder, 'hosts.cjs'),
    [
      `Object.assign(require(${JSON.stringify(hosts)}).lighthouseConfig, ${JSON.stringify({ lighthouseAPI: api, lighthouseNode: upload, lighthouseGateway: gateway, lighthouseBLSNode: keyRouter })})`,
      `require(${JSON.stringify(keyHosts)}).default.lighthouseAuthNode = ${JSON.stringify(keyRouter)}`,
      // Its pause of a second after each call is skipped; see skip-pauses.ts.
      'const later = setTimeout; globalThis.setTimeout = Object.assign((work, ms, ...list) => later(work, ms === 1000 ? 0 : ms, ...list), later)',
      '',
    ].join('\n'),
  )
  // Selects a network whose public endpoints the balance command does not query.
  mkdirSync(dirname(configFile()), { recursive: true })
  writeFileSync(configFile(), JSON.stringify({ LIGHTHOUSE_GLOBAL_NETWORK: 'calibration' }))
})

afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test('runs a user’s first session, command by command', async () => {
  const address = privateKeyToAccount(privateKey).address
  const imported = await lighthouse(['import-wallet', '--key', privateKey], [['Set a password', password]])
  expect(imported).toContain(`Public Key: ${address}`)

  expect(await lighthouse(['wallet'])).toContain(address)

  const key = await lighthouse(['api-key', '--new'], [['Enter your password', password]])
  expect(key).toMatch(/Api Key: .*\S{20}/)
  // It states no purpose, scopes or expiry: it reads and writes files for a limited time.
  const keys = await network.storage.context.db.read
    .selectFrom('api_key')
    .select(['scopes', 'created_at', 'expires_at'])
    .where('address', '=', address.toLowerCase())
    .execute()
  expect(keys.map(({ scopes }) => scopes)).toEqual(['["files:read","files:write"]'])
  const days = keys.map(({ created_at, expires_at }) => Math.round((Number(expires_at) - created_at) / 86_400_000))
  expect(days).toEqual([90])

  await storeLightWallet()
  expect(await lighthouse(['balance'])).toContain('Data Limit')

  writeFileSync(join(folder, 'hello.txt'), 'hello world')
  const uploaded = await lighthouse(
    ['upload', 'hello.txt'],
    [
      ['Y/n', 'Y'],
      ['Enter your password', password],
    ],
  )
  expect(uploaded).toContain('CID: bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')

  const listed = await lighthouse(['get-uploads'])
  expect(listed).toContain('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')

  const config: unknown = JSON.parse(readFileSync(configFile(), 'utf8'))
  const apiKey =
    typeof config === 'object' && config !== null && 'LIGHTHOUSE_GLOBAL_API_KEY' in config
      ? config.LIGHTHOUSE_GLOBAL_API_KEY
      : ''
  const list: unknown = await (
    await fetch(`${network.profile.api}/api/user/files_uploaded?lastKey=null`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
  ).json()
  expect(list).toMatchObject({ totalFiles: 1, fileList: [{ fileName: 'hello.txt' }] })
  const id = (list as { fileList: { id: string }[] }).fileList[0]?.id ?? ''
  expect(await lighthouse(['delete-file', id])).toContain('Success: File deleted successfully.')
})

test('uses a wallet created by the CLI', async () => {
  const made = await lighthouse(['create-wallet'], [['Set a password', password]])
  expect(made).toMatch(/Public Key: .*0x[0-9a-fA-F]{40}/)
  expect(made).toContain('Wallet Created!')
})

test('reports wrong keys instead of hiding them', async () => {
  await lighthouse(['api-key', '--import', 'nonsense'])
  expect(await lighthouse(['get-uploads'])).toContain('401')
})

test('uploads, shares, revokes and decrypts encrypted files', async () => {
  await storeLightWallet()
  await lighthouse(['api-key', '--new'], [['Enter your password', password]])
  writeFileSync(join(folder, 'secret.txt'), 'a secret of the command line')
  const secret: [string, string] = ['Enter your password', password]
  const uploaded = await lighthouse(['upload-encrypted', 'secret.txt'], [['Y/n', 'Y'], secret])
  const cid = /CID: (\w{59})/.exec(uploaded)?.[1] ?? ''
  expect(cid, uploaded).toMatch(/^bafkrei/)
  const friend = privateKeyToAccount(generatePrivateKey()).address
  expect(await lighthouse(['share-file', cid, friend], [['password', password]])).toContain(friend)
  expect(await lighthouse(['revoke-access', cid, friend], [['password', password]])).toContain(friend)
  // It writes into the working directory, under the service's name for the file.
  rmSync(join(folder, 'secret.txt'))
  await lighthouse(['decrypt-file', cid], [['password', password]])
  expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('a secret of the command line')
})

test('creates, publishes, lists and removes an IPNS key', async () => {
  const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  const made = await lighthouse(['ipns', '-gen'])
  const key = /ipnsName: (\w+)/.exec(made)?.[1] ?? ''
  const name = /ipnsId: (k51\w+)/.exec(made)?.[1] ?? ''
  expect(key, made).toMatch(/^[0-9a-f]{32}$/)
  const said = await lighthouse(['ipns', '-pub', '-k', key, '-c', cid])
  expect(said).toContain('Published')
  expect(said).toContain(`/ipns/${name}`)
  const listed = await lighthouse(['ipns', '-l'])
  for (const part of [key, name, cid]) expect(listed).toContain(part)
  expect(await lighthouse(['ipns', '-r', key])).toContain('Record Removed')
  expect(await lighthouse(['ipns', '-l'])).not.toContain(key)
})
