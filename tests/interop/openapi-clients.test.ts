// Clients in other languages, generated from docs/openapi.json with the lines of docs/how-to/other-languages.md.
import { readFileSync } from 'node:fs'
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { binaryPath, isInstalled, oapiCodegen } from './binaries.ts'
import { isPythonProgramInstalled, openapiPythonClient, pythonBinary } from './python-programs.ts'
import { runProgram } from './run-program.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/other-languages.md'), 'utf8')
const helloCid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

const answerSchema = v.strictObject({
  before: v.number(),
  cid: v.string(),
  listed: v.array(v.tuple([v.string(), v.string(), v.number()])),
  used: v.number(),
  deleted: v.string(),
  after: v.number(),
  refused: v.tuple([v.number(), v.string()]),
})

let network: TestNetwork
let scratch = ''
beforeAll(async () => {
  network = await createTestNetwork()
  scratch = await mkdtemp(join(tmpdir(), 'cairn-openapi-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  if (scratch !== '') await rm(scratch, { recursive: true })
})

/** Copies one of our programs into a folder with the document. */
async function prepare(name: string): Promise<string> {
  const folder = join(scratch, name)
  await cp(join(import.meta.dirname, name), folder, { recursive: true })
  await copyFile(join(root, 'docs/openapi.json'), join(folder, 'openapi.json'))
  return folder
}

/** The page's line with this beginning. */
function lineOf(beginning: string): string {
  const line = page.split('\n').find((one) => one.startsWith(beginning))
  if (line === undefined) throw new Error(`the page has no line ${beginning}…`)
  return line
}

/** Checks that the page prints lines of the program that this test runs. */
function expectPrinted(language: string, file: string): void {
  const printed = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1]?.trim().split('\n') ?? []
  const program = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
  expect(printed).toHaveLength(5)
  expect(program).toEqual(expect.arrayContaining(printed))
}

/** Runs a line of the page. Programs are looked up in `path` first. */
async function shell(line: string, cwd: string, path: string, settings: Record<string, string> = {}): Promise<string> {
  const env = { ...process.env, ...settings, PATH: `${path}${delimiter}${process.env['PATH']}` }
  return (await runProgram('bash', ['-euo', 'pipefail', '-c', line], { cwd, env })).toString()
}

async function expectStored(line: string, cwd: string, path: string): Promise<void> {
  const { apiKey } = await createTestKey(network)
  const started = Date.now()
  const output = await shell(line, cwd, path, { CAIRN_API: network.profile.api, CAIRN_API_KEY: apiKey })
  const answer = v.parse(answerSchema, JSON.parse(output))
  const createdAt = answer.listed[0]?.[2] ?? 0
  expect(answer).toEqual({
    before: 0,
    cid: helloCid,
    listed: [['hello.txt', helloCid, createdAt]],
    used: 11,
    deleted: expect.any(String),
    after: 0,
    refused: [401, 'UNAUTHENTICATED'],
  })
  // Exact to the millisecond: a number of 32 bits would be wrong by a minute.
  expect(createdAt).toBeGreaterThanOrEqual(started)
  expect(createdAt).toBeLessThanOrEqual(Date.now())
}

test.skipIf(!isPythonProgramInstalled(openapiPythonClient))(
  'a generated Python client lists, uploads and deletes',
  async () => {
    const folder = await prepare('python-openapi')
    const path = dirname(pythonBinary(openapiPythonClient, 'python'))
    expect(lineOf('pip install')).toContain(`openapi-python-client==${openapiPythonClient.version}`)
    await shell(lineOf('openapi-python-client generate'), folder, path)
    expectPrinted('python', join(folder, 'client.py'))
    await expectStored(lineOf('python client.py'), folder, path)
  },
  600_000,
)

test.skipIf(!isInstalled(oapiCodegen))(
  'a generated Go client lists, uploads and deletes',
  async () => {
    const folder = await prepare('go-openapi')
    expect(lineOf('go install')).toContain(`@${oapiCodegen.version}`)
    const generate = lineOf('oapi-codegen -generate').replace('oapi-codegen', binaryPath(oapiCodegen))
    await shell(`mkdir -p cairn && ${generate}`, folder, folder)
    expectPrinted('go', join(folder, 'main.go'))
    await expectStored(lineOf('go run .'), folder, folder)
  },
  600_000,
)
