// Valid and invalid requests that schemathesis creates from docs/openapi.json, sent to every service that answers calls.
import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { isPythonProgramInstalled, pythonBinary, schemathesis } from './python-programs.ts'
import { runProgram } from './run-program.ts'

const documentSchema = v.looseObject({ paths: v.record(v.string(), v.record(v.string(), v.looseObject({}))) })
const document = v.parse(
  documentSchema,
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8')),
)

let network: TestNetwork
let scratch = ''
let apiKey = ''
let address = ''
let privateKey: `0x${string}` = '0x'
beforeAll(async () => {
  network = await createTestNetwork({}, 'none', 20, 1)
  scratch = await mkdtemp(join(tmpdir(), 'cairn-schemathesis-'))
  const key = await createTestKey(network)
  apiKey = key.apiKey
  address = key.address
  privateKey = key.privateKey
  for (const name of ['schemathesis.toml', 'hooks.py'])
    await copyFile(join(import.meta.dirname, 'python-schemathesis', name), join(scratch, name))
}, 120_000)
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  if (scratch !== '') await rm(scratch, { recursive: true })
})

/** A token of the key node or router at an address, as published clients get it. */
async function openSession(url: string): Promise<string> {
  const [{ message }] = v.parse(
    v.tuple([v.object({ message: v.string() })]),
    await (await fetch(`${url}/api/message/${address}`)).json(),
  )
  const answer = await fetch(`${url}/api/message/get-jwt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, signature: await privateKeyToAccount(privateKey).signMessage({ message }) }),
  })
  return v.parse(v.object({ token: v.string() }), await answer.json()).token
}

/** Runs every phase and check on the calls of a host. @returns the output of schemathesis, if it found something */
async function findProblems(host: string, url: string, token: string): Promise<string> {
  const paths = Object.entries(document.paths).flatMap(([path, operations]) => {
    const own = Object.entries(operations).filter(([, operation]) => (operation['x-cairn-host'] ?? 'api') === host)
    return own.length === 0 ? [] : [[path, Object.fromEntries(own)] as const]
  })
  const file = join(scratch, `${host}.json`)
  await writeFile(file, JSON.stringify({ ...document, paths: Object.fromEntries(paths) }))
  const options = ['--seed=1', '--max-examples=15', '--request-timeout=20', '--no-color']
  const args = ['run', file, `--url=${url}`, `--header=Authorization: Bearer ${token}`, ...options, '--warnings=off']
  const printed = await runProgram(pythonBinary(schemathesis, 'schemathesis'), args, {
    cwd: scratch,
    env: { HOME: scratch, PATH: process.env['PATH'], SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: scratch, COLUMNS: '200' },
    allowedExitCodes: [0, 1],
  })
  const text = printed.toString()
  expect(text).toMatch(/[1-9]\d* generated/)
  return /failure|error/.test(text.trim().split('\n').at(-1) ?? '') ? text : ''
}

test.skipIf(!isPythonProgramInstalled(schemathesis)).each([
  ['the storage service', 'api', () => network.profile.api, () => apiKey],
  ['the gateway', 'gateway', () => network.profile.gateway, () => apiKey],
  ['the key router', 'keys', () => network.profile.keyRouter, (url: string) => openSession(url)],
  ['a key node', 'keys', () => network.profile.keyNodes?.[0], (url: string) => openSession(url)],
  [
    'a provider',
    'provider',
    () => network.profile.providers?.[0]?.url,
    () => readFile(join(network.home, 'providers/1/access.key'), 'utf8'),
  ],
] as const)(
  '%s answers as its document says',
  async (_name, host, urlOf, tokenOf) => {
    const url = urlOf() ?? expect.unreachable('the profile has no such address')
    expect(await findProblems(host, url, (await tokenOf(url)).trim())).toBe('')
  },
  900_000,
)
