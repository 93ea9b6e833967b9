import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { ipfsCluster, requireBinary } from './binaries.ts'
import { runProgram } from './run-program.ts'

const settingsSchema = v.object({
  api: v.object({ ipfsproxy: v.object({ listen_multiaddress: v.union([v.string(), v.array(v.string())]) }) }),
})
const startLimitMs = 60_000

/** A cluster of one peer over a Kubo, on free ports. `proxyUrl` has Kubo's calls. */
export async function startIpfsCluster(kuboUrl: string): Promise<AsyncDisposable & { proxyUrl: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-cluster-'))
  const { hostname, port } = new URL(kuboUrl)
  const kubo = `/ip4/${hostname}/tcp/${port}`
  const env = {
    HOME: folder,
    PATH: process.env['PATH'],
    CLUSTER_IPFSHTTP_NODEMULTIADDRESS: kubo,
    CLUSTER_IPFSPROXY_NODEMULTIADDRESS: kubo,
    // It finds no peers.
    CLUSTER_MDNSINTERVAL: '0',
  }
  const program = requireBinary(ipfsCluster)
  await runProgram(program, ['--config', folder, 'init', '--consensus', 'crdt', '--randomports'], { env })
  const settings = v.parse(settingsSchema, JSON.parse(await readFile(join(folder, 'service.json'), 'utf8')))
  const [address = ''] = [settings.api.ipfsproxy.listen_multiaddress].flat()
  const proxyUrl = `http://127.0.0.1:${/\/tcp\/(\d+)/.exec(address)?.[1]}`
  const child = spawn(program, ['--config', folder, 'daemon'], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const ready = Promise.withResolvers<void>()
  const read = (text: string) => {
    output = (output + text).slice(-4000)
    if (output.includes('Cluster is ready') || output.includes('IPFS Cluster is READY')) ready.resolve()
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read)
  const exited = once(child, 'exit')
  exited.then(() => ready.reject(new Error(`IPFS Cluster did not start\n${output}`)), ready.reject)
  const timer = setTimeout(() => child.kill('SIGKILL'), startLimitMs)
  const dispose = async () => {
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await exited
    clearTimeout(force)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await ready.promise
  } catch (error) {
    await dispose()
    throw error
  } finally {
    clearTimeout(timer)
  }
  return { proxyUrl, [Symbol.asyncDispose]: dispose }
}
