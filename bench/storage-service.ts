import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import memory from '../apps/local/src/program-memory.json' with { type: 'json' }
import { buildService } from '../scripts/service-bundles.ts'
import { createTestKey } from '../tests/fixtures.ts'
import { runProgram, stopProgram } from './program.ts'

/** One storage service in its own process, with an API key. */
export type Storage = AsyncDisposable & { pid: number; api: string; apiKey: string; address: string }

/** Options of the image and the systemd unit of the storage service. */
const deployedArguments = ['--max-semi-space-size=4', '--heap-growing-percent=100']

/** Starts the storage service of a checkout from its sources, in its own folder, with the options of operators. */
export function startStorage(
  checkout: string,
  home: string,
  environment: Record<string, string> = {},
): Promise<Storage> {
  const options = ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', ...deployedArguments]
  const settings = { CAIRN_HOME: home, ...memory.environment, ...environment }
  return start(join(checkout, 'services/storage/src/main.ts'), options, settings)
}

/** Starts the storage service as operators run it: its bundle, with the options of the image and the systemd units. */
export async function startDeployed(folder: string, environment: Record<string, string> = {}): Promise<Storage> {
  await buildService('storage', join(folder, 'bundle'))
  return start(join(folder, 'bundle', 'storage.js'), deployedArguments, {
    CAIRN_HOME: join(folder, 'home'),
    ...memory.environment,
    ...environment,
  })
}

async function start(program: string, execArgv: string[], environment: Record<string, string>): Promise<Storage> {
  const child = fork(program, {
    execArgv,
    env: {
      PATH: process.env['PATH'],
      CAIRN_PORT: '0',
      CAIRN_GATEWAY_PORT: '0',
      CAIRN_LOG_LEVEL: 'warn',
      CAIRN_FREE_BYTES: String(2 ** 40),
      // The free space of this machine's disk must not matter here.
      CAIRN_FREE_DISK_RESERVE: '0',
      ...environment,
      // Users run compiled packages, without the memory of the compiler.
      NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '.cache', 'compile'),
    },
  })
  const [ready]: { url?: string }[] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`))),
  ])
  const api = ready?.url
  if (api === undefined) throw new Error(`${program} did not say where it is`)
  const { apiKey, address } = await createTestKey({ profile: { api } })
  return { pid: child.pid ?? 0, api, apiKey, address, [Symbol.asyncDispose]: () => stopProgram(child) }
}

const quiet = ['--fail', '--silent', '--show-error']

/** Uploads with curl, to exclude any client of ours, and returns the time in ms. */
export async function uploadByCurl({ api, apiKey }: Storage, file: string): Promise<number> {
  const sent = [...quiet, '-H', `Authorization: Bearer ${apiKey}`, '-F', `file=@${file}`]
  return (await runProgram('curl', [...sent, `${api}/api/v0/add?cid-version=1`])).wallMs
}

/** Adds a file to a Kubo daemon with curl, and returns the time in ms. */
export async function addByCurl(apiUrl: string, file: string): Promise<number> {
  const sent = [...quiet, '-F', `file=@${file}`, `${apiUrl}/api/v0/add?cid-version=1&pin=true&progress=false`]
  return (await runProgram('curl', sent)).wallMs
}

/** Sends a file as a resumable upload with curl, in one request after its creation, and returns the time in ms. */
export async function uploadInParts(storage: Storage, file: string, sizeBytes: number): Promise<number> {
  const headers = ['-H', `Authorization: Bearer ${storage.apiKey}`, '-H', 'Tus-Resumable: 1.0.0']
  const started = performance.now()
  const length = ['-X', 'POST', '-H', `Upload-Length: ${sizeBytes}`, '--dump-header', '-', '--output', '/dev/null']
  const created = await runProgram('curl', [...quiet, ...headers, ...length, `${storage.api}/api/uploads`])
  const location = /^location: *(\S+)/im.exec(created.stdout)?.[1]
  if (location === undefined) throw new Error(`no location in: ${created.stdout}`)
  const body = ['-X', 'PATCH', '-H', 'Upload-Offset: 0', '-H', 'Content-Type: application/offset+octet-stream']
  const url = new URL(location, `${storage.api}/api/uploads`).href
  await runProgram('curl', [...quiet, ...headers, ...body, '--upload-file', file, url])
  return performance.now() - started
}
