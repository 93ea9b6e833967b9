import { createPrivateKey, hash, sign } from 'node:crypto'
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { link, mkdir, open, opendir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { basename, dirname, join, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { lookup } from 'mrmime'
import { readBlob } from './local/blob-file.ts'
import type { LocalFile, LocalPath, StreamedAnswer, StreamedRequest } from './local-source.ts'
import { writeAll } from './write-all.ts'

// The differences between Node and browsers: this file is the Node half, platform.browser.ts the other.

/** Computes SHA-256 synchronously. */
export const hashSha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer')

/** Prefix of a seed in RFC 8410. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Signs with Ed25519 in a fifth of the time that JavaScript takes. */
export const signEd25519 = (message: Uint8Array, seed: Uint8Array): Uint8Array => {
  const key = createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' })
  return sign(null, message, key)
}

const pieceBytes = 1024 * 1024
const smallFileBytes = 256 * 1024
const maxAnswerBytes = 64 * 1024 * 1024

/**
 * Finds the network if the caller names none: `CAIRN_NETWORK` (a file or URL), else `network.json` in `CAIRN_HOME`,
 * else the nearest `.cairn/network.json` in this folder or above. An empty variable counts as unset.
 * @throws CairnError NO_NETWORK
 */
// biome-ignore lint/style/noProcessEnv: no other place of the SDK reads the environment.
export function findNetwork(env: Record<string, string | undefined> = process.env, from = '.'): string {
  const { CAIRN_NETWORK: named = '', CAIRN_HOME: home = '' } = env
  if (named !== '') return named
  const homeProfile = join(home, 'network.json')
  if (home !== '' && existsSync(homeProfile)) return homeProfile
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, '.cairn', 'network.json')
    if (existsSync(path)) return path
    if (folder === dirname(folder)) throw new CairnError('NO_NETWORK')
  }
}

/**
 * Reads a profile from a file.
 * @throws CairnError NO_NETWORK
 */
export async function readProfile(path: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new CairnError('NO_NETWORK', { message: `No network profile at ${path}`, cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CairnError('NO_NETWORK', { message: `${path} is not a network profile`, cause })
  }
}

/**
 * Opens a file or folder on disk.
 * @throws CairnError FILE_UNREADABLE
 */
export async function openPath(path: string): Promise<LocalPath> {
  const full = resolve(path)
  const found = await stat(full).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  if (found.isFile()) return { kind: 'file', file: diskFile(full, basename(full), found.size) }
  if (!found.isDirectory())
    throw new CairnError('FILE_UNREADABLE', { message: `${path} is neither a file nor a folder` })
  const name = basename(full)
  return { kind: 'directory', name, files: () => walk(full, name) }
}

/**
 * Yields the files below a folder, ordered by name. Does not follow links: they could leave the folder or form a cycle.
 */
async function* walk(folder: string, name: string): AsyncGenerator<LocalFile> {
  const entries = []
  try {
    for await (const entry of await opendir(folder, { bufferSize: 1024 })) entries.push(entry)
  } catch (cause) {
    throw unreadable(folder, cause)
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(path, `${name}/${entry.name}`)
    else if (entry.isFile()) yield diskFile(path, `${name}/${entry.name}`, undefined)
  }
}

function diskFile(path: string, name: string, sizeBytes: number | undefined): LocalFile {
  return { name, path, sizeBytes, canReopen: true, open: () => readDisk(path, sizeBytes) }
}

async function* readDisk(path: string, sizeBytes: number | undefined): AsyncGenerator<Uint8Array> {
  const small = readSmall(path, sizeBytes)
  if (small === undefined) yield* readPieces(path, sizeBytes)
  else if (small.length > 0) yield small
}

/**
 * Reads a small file in one call; undefined for a large one. Reading is synchronous: four thread hops for each of ten
 * thousand files take ten times as long as the reading, and one file blocks the event loop for microseconds.
 */
function readSmall(path: string, expectedBytes: number | undefined): Uint8Array | undefined {
  if (expectedBytes !== undefined && expectedBytes > smallFileBytes) return undefined
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (cause) {
    throw unreadable(path, cause)
  }
  try {
    const sizeBytes = expectedBytes ?? fstatSync(file).size
    if (sizeBytes > smallFileBytes) return undefined
    const buffer = Buffer.allocUnsafe(sizeBytes + 1)
    let total = 0
    for (let read = 1; read > 0 && total <= sizeBytes; total += read)
      read = readSync(file, buffer, total, buffer.length - total, null)
    if (total !== sizeBytes) throw changed(path)
    return buffer.subarray(0, total)
  } finally {
    closeSync(file)
  }
}

async function* readPieces(path: string, expectedBytes: number | undefined): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  try {
    const sizeBytes = expectedBytes ?? (await file.stat()).size
    // Three buffers: one is filled while one is hashed and one is sent.
    const buffers = Array.from({ length: sizeBytes > smallFileBytes ? 3 : 1 }, () =>
      Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes + 1)),
    )
    let total = 0
    for (let turn = 0; ; turn++) {
      const buffer = buffers[turn % buffers.length] ?? Buffer.alloc(0)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, total)
      if (bytesRead === 0) break
      total += bytesRead
      if (total > sizeBytes) break
      yield buffer.subarray(0, bytesRead)
    }
    if (total !== sizeBytes) throw changed(path)
  } finally {
    await file.close()
  }
}

function changed(path: string): CairnError {
  return new CairnError('FILE_CHANGED', { message: `${path} changed while it was read` })
}

function unreadable(path: string, cause: unknown): CairnError {
  const why = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}${why}`, cause })
}

/** Whether the body is sent while it is read. */
export const sendsWhileReading: boolean = true

/** Browsers gather a body before they send it; Node does not. */
export async function gatherBody(_body: AsyncIterable<Uint8Array>, _signal?: AbortSignal): Promise<Blob> {
  throw new TypeError('a body is sent while it is read')
}

/**
 * Sends a request whose body is produced on the way. The HTTP client of Node moves large bodies faster than fetch, and
 * leaves the chunks to the caller.
 */
export function sendStreamed(send: StreamedRequest): Promise<StreamedAnswer> {
  const { url, method = 'POST', headers, contentLength, signal } = send
  const body = send.body instanceof Blob ? readBlob(send.body) : send.body
  const begin = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((done, fail) => {
    const length = contentLength === undefined ? {} : { 'content-length': String(contentLength) }
    const request = begin(url, { method, headers: { ...headers, ...length }, signal })
    let answered = false
    request.on('error', (error) => {
      // A server that has answered may close before it has read the body: the answer counts.
      if (!answered) fail(error)
    })
    request.on('response', (response) => {
      answered = true
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
        if (text.length > maxAnswerBytes) response.destroy(new CairnError('UNEXPECTED_RESPONSE'))
      })
      response.on('error', fail)
      response.on('end', () => {
        const header = (name: string): string | null => {
          const value = response.headers[name]
          return Array.isArray(value) ? value.join(', ') : (value ?? null)
        }
        done({ status: response.statusCode ?? 0, header, text })
      })
    })
    const write = (piece: Uint8Array): Promise<void> =>
      new Promise((written, failed) => {
        request.write(piece, (error) => (error ? failed(error) : written()))
      })
    const pump = async (): Promise<void> => {
      let before: Promise<void> = Promise.resolve()
      for await (const piece of body) {
        await before
        if (answered || request.destroyed) return
        before = write(piece)
        // Awaited later; a failure until then is not an unhandled rejection.
        before.catch(() => undefined)
      }
      await before
      request.end()
    }
    pump().catch((error: unknown) => {
      if (answered) return
      request.destroy()
      fail(error)
    })
  })
}

/** A download in progress: the existing bytes, and the target of the next ones. */
export type PartFile = {
  /** Bytes that an earlier attempt left. */
  readonly sizeBytes: number
  read(position: number, length: number): Promise<Uint8Array>
  /** Keeps the first `sizeBytes` bytes. */
  truncate(sizeBytes: number): Promise<void>
  write(bytes: Uint8Array, position: number): Promise<void>
  /**
   * Makes the file durable and moves it to its place.
   * @throws CairnError FILE_EXISTS
   */
  finish(overwrite: boolean): Promise<void>
  close(): Promise<void>
  /** Closes and removes the file. */
  discard(): Promise<void>
}

/**
 * Opens `{target}.part`.
 * @throws CairnError FILE_EXISTS if the target exists and `overwrite` is false, FILE_UNREADABLE
 */
export async function openPart(target: string, overwrite: boolean): Promise<PartFile> {
  const full = resolve(target)
  const exists = await stat(full).then(
    () => true,
    () => false,
  )
  if (exists && !overwrite) throw new CairnError('FILE_EXISTS', { message: `${target} already exists` })
  const part = `${full}.part`
  const file = await open(part, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644).catch(
    (cause: unknown) => {
      throw unreadable(part, cause)
    },
  )
  const { size } = await file.stat()
  return {
    sizeBytes: size,
    async read(position, length) {
      const buffer = Buffer.allocUnsafe(length)
      const { bytesRead } = await file.read(buffer, 0, length, position)
      return buffer.subarray(0, bytesRead)
    },
    truncate: (sizeBytes) => file.truncate(sizeBytes),
    write: (bytes, position) => writeAll(file, bytes, position),
    async finish(replace) {
      await file.sync()
      await file.close()
      // A link fails on an existing name, which a rename would silently replace.
      if (!replace && (await linkNew(part, full, target))) await unlink(part)
      else await rename(part, full)
    },
    close: () => file.close(),
    async discard() {
      await file.close()
      await unlink(part)
    },
  }
}

/**
 * Links a file under a second name; false on file systems without links.
 * @throws CairnError FILE_EXISTS
 */
async function linkNew(from: string, to: string, target: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) return false
    throw new CairnError('FILE_EXISTS', { message: `${target} already exists`, cause })
  }
}

/**
 * Creates a folder for a download.
 * @throws CairnError FILE_EXISTS
 */
export async function makeFolder(target: string, mayExist: boolean): Promise<void> {
  await mkdir(resolve(target), { recursive: mayExist }).catch((cause: unknown) => {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    if (exists) throw new CairnError('FILE_EXISTS', { message: `${target} already exists`, cause })
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot make the folder ${target}`, cause })
  })
}

/** Joins a folder and a name. */
export function joinPath(folder: string, name: string): string {
  return join(folder, name)
}

/**
 * Returns the size in bytes of a file on disk.
 * @throws CairnError FILE_UNREADABLE
 */
export async function measure(file: LocalFile): Promise<number> {
  const path = file.path ?? ''
  const { size } = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  return size
}

/** Returns the MIME type for the extension of a name, or false. */
export function mimeTypeOf(name: string): string | false {
  return lookup(name) ?? false
}
