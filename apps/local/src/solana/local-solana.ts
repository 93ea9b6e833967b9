import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { listenerUrl } from '@cairn/service'
import { base58btc } from 'multiformats/bases/base58'
import { writeFileWhole } from '../home/write-file-whole.ts'
import type { Engine, Litesvm, Svm } from './litesvm.ts'
import { createSolanaMethods, RpcError, type SolanaMethods } from './solana-methods.ts'

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended here
  interface JSON {
    /** In Node since 21. @see https://tc39.es/proposal-json-parse-with-source/ */
    rawJSON(text: string): object
  }
}

/** A Solana chain of this machine with its JSON-RPC endpoint. Disposing stops it; its state stays on disk. */
export type LocalSolana = AsyncDisposable & {
  readonly url: string
  readonly genesisHash: string
  /** Writes an account as it is, without a transaction; not kept on disk. Addresses are in base58. */
  setAccount(address: string, account: { lamports: bigint; data: Uint8Array; owner: string }): void
}

export type LocalSolanaOptions = {
  /** Folder of the network; its state is kept below. */
  home: string
  host: string
  /** 0 selects a free one. */
  port: number
  /** Milliseconds since 1970. */
  now?: () => number
}

/** Chosen here, so that no endpoint of a public cluster is mistaken for this chain. */
const genesisHash = base58btc.baseEncode(createHash('sha256').update('a local network of Cairn').digest())
const digestBytes = 32
const maxBodyBytes = 16 * 1024
const requestTimeoutMs = 10_000

/**
 * Starts the chain with the state of earlier runs.
 * @throws CairnError UNAVAILABLE (the state is damaged, or the port is in use)
 */
export async function startLocalSolana(
  { engine, version }: Litesvm,
  { home, host, port, now = Date.now }: LocalSolanaOptions,
): Promise<LocalSolana> {
  const folder = join(home, 'solana')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Another version of the engine may not read it.
  const file = join(folder, `state-${version}.bin`)
  const svm = await openState(engine, file)
  const methods = createSolanaMethods(svm, { genesisHash, now })
  let writing: Promise<void> = Promise.resolve()
  const save = (): Promise<void> => {
    // A failed write is reported to its own call only.
    writing = writing.catch(() => undefined).then(() => writeState(svm, file))
    return writing
  }
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    void answer(request, response, methods, save)
  })
  const url = await new Promise<string>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new CairnError('UNAVAILABLE', { message: 'The local Solana chain did not start', cause })),
    )
    server.listen(port, host, () => {
      const address = server.address()
      resolve(listenerUrl(host, typeof address === 'object' && address !== null ? address.port : port))
    })
  })
  return {
    url,
    genesisHash,
    setAccount(address, { lamports, data, owner }) {
      const account = new engine.Account(lamports, data, base58btc.baseDecode(owner), false, 0n)
      svm.setAccount(base58btc.baseDecode(address), account)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await writing
    },
  }
}

/** Opens the state: a SHA-256 digest and the engine's own bytes, which it reads unchecked. */
async function openState(engine: Engine, file: string): Promise<Svm> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new engine.LiteSvm()
    throw error
  }
  const state = bytes.subarray(digestBytes)
  if (!digestOf(state).equals(bytes.subarray(0, digestBytes))) {
    throw new CairnError('UNAVAILABLE', {
      message: `The state of the local Solana chain is damaged: ${file}`,
      hint: 'Restore the file from a backup, or remove it to start with an empty chain.',
    })
  }
  return engine.LiteSvm.fromBytes(state)
}

async function writeState(svm: Svm, file: string): Promise<void> {
  const state = svm.toBytes()
  await writeFileWhole(file, Buffer.concat([digestOf(state), state]))
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  methods: SolanaMethods,
  save: () => Promise<void>,
): Promise<void> {
  let id: unknown = null
  let body: object
  try {
    const call = readCall(await readText(request))
    id = call.id
    const result = methods.call(call.method, call.params)
    // The caller may rely on this response, even if the network is killed next.
    if (methods.isWrite(call.method)) await save()
    body = { jsonrpc: '2.0', id, result }
  } catch (error) {
    const { code, message } = error instanceof RpcError ? error : { code: -32603, message: `Internal error: ${error}` }
    body = { jsonrpc: '2.0', id, error: { code, message } }
  }
  if (response.destroyed) return
  // Lamports exceed 2^53: they are written digit by digit.
  const text = JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  )
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

type Call = { id: unknown; method: string; params: readonly unknown[] }

function readCall(text: string): Call {
  let call: unknown
  try {
    call = JSON.parse(text)
  } catch {
    throw new RpcError(-32700, 'Parse error')
  }
  if (typeof call !== 'object' || call === null || !('method' in call) || typeof call.method !== 'string')
    throw new RpcError(-32600, 'Invalid request')
  const id = 'id' in call ? call.id : null
  // The response repeats it: a deeply nested one could not be written, which would end the process.
  if (typeof id === 'object' && id !== null) throw new RpcError(-32600, 'Invalid request')
  const params = 'params' in call ? call.params : []
  if (!Array.isArray(params)) throw new RpcError(-32602, 'the params must be a list')
  return { id, method: call.method, params }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) throw new RpcError(-32600, `The request exceeds ${maxBodyBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
