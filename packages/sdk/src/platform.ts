import { createPrivateKey, hash, sign } from 'node:crypto'
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { link, mkdir, open, opendir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { basename, dirname, join, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { lookup } from 'mrmime'
import type { LocalFile, LocalPath, StreamedAnswer, StreamedRequest } from './local-source.ts'
import { readBlob } from './upload/blob-file.ts'
import { writeAll } from './write-all.ts'

// What differs between Node and browsers: this file is Node's half, platform.browser.ts the other.

/** SHA-256, at once. */
export const hashSha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer')

/** What RFC 8410 puts before a seed. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex')

/** An Ed25519 signature; in a fifth of the time that JavaScript takes. */
export const signEd25519 = (message: Uint8Array, seed: Uint8Array): Uint8Array => {
  const key = createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' })
  return sign(null, message, key)
}

const pieceBytes = 1024 * 1024
const smallFileBytes = 256 * 1024
const answerBytesMost = 64 * 1024 * 1024

/**
 * Where the network is if the caller does not say: CAIRN_NETWORK (a file or URL), else `network.json` in CAIRN_HOME, else the
 * nearest `.cairn/network.json` in a folder or above it. A variable that is set to nothing counts as not set.
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

/** A profile in a file. @throws CairnError NO_NETWORK */
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

/** A file or folder on disk. @throws CairnError FILE_UNREADABLE */
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

/** Files below a folder, in the order of their names. Links are not followed: they could lead out, or round in circles. */
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
 * A small file in one go; undefined for a large one. Read at once: four hops to another thread for each of ten thousand
 * files take ten times as long as the reading, and one file holds the event loop for microseconds.
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
    // Three buffers in turn: one is being filled while one is hashed and one is on its way out.
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

/** Whether a body goes out while it is read. */
export const sendsWhileReading: boolean = true

/** Browsers gather a body before they send it; nothing is gathered here. */
export async function gatherBody(_body: AsyncIterable<Uint8Array>, _signal?: AbortSignal): Promise<Blob> {
  throw new TypeError('a body is sent while it is read')
}

/**
 * Sends a request whose body is made on the way. Node's own HTTP client moves large bodies faster than fetch, and leaves
 * the pieces to us.
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
      // A server that has answered may close before it has read everything: the answer counts.
      if (!answered) fail(error)
    })
    request.on('response', (response) => {
      answered = true
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
        if (text.length > answerBytesMost) response.destroy(new CairnError('UNEXPECTED_RESPONSE'))
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
        // Looked at when its turn comes; a failure meanwhile is no unhandled one.
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

/** A file being downloaded: what is there already, and where the next bytes go. */
export type PartFile = {
  /** Bytes that an earlier try left. */
  readonly sizeBytes: number
  read(position: number, length: number): Promise<Uint8Array>
  /** Keeps the first bytes only. */
  truncate(sizeBytes: number): Promise<void>
  write(bytes: Uint8Array, position: number): Promise<void>
  /** Makes it durable and moves it to its place. @throws CairnError FILE_EXISTS */
  finish(overwrite: boolean): Promise<void>
  close(): Promise<void>
  /** Closes and removes it. */
  discard(): Promise<void>
}

/** Opens `{target}.part`. @throws CairnError FILE_EXISTS when the target is there and may not be replaced, FILE_UNREADABLE */
export async function openPart(target: string, overwrite: boolean): Promise<PartFile> {
  const full = resolve(target)
  const exists = await stat(full).then(
    () => true,
    () => false,
  )
  if (exists && !overwrite) throw new CairnError('FILE_EXISTS', { message: `${target} exists already` })
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
      // A link fails where a name is taken, which a rename would replace without a word.
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

/** Gives a file a second name; false on file systems that have no links. @throws CairnError FILE_EXISTS */
async function linkNew(from: string, to: string, target: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) return false
    throw new CairnError('FILE_EXISTS', { message: `${target} exists already`, cause })
  }
}

/** Makes a folder for a download. @throws CairnError FILE_EXISTS */
export async function makeFolder(target: string, mayExist: boolean): Promise<void> {
  await mkdir(resolve(target), { recursive: mayExist }).catch((cause: unknown) => {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    if (exists) throw new CairnError('FILE_EXISTS', { message: `${target} exists already`, cause })
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot make the folder ${target}`, cause })
  })
}

/** A path below a folder. */
export function joinPath(folder: string, name: string): string {
  return join(folder, name)
}

/** Bytes of a file on disk that is not open. @throws CairnError FILE_UNREADABLE */
export async function measure(file: LocalFile): Promise<number> {
  const path = file.path ?? ''
  const { size } = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  return size
}

/** MIME type by a name's extension, or false. */
export function mimeTypeOf(name: string): string | false {
  return lookup(name) ?? false
}
