import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { PostgresFixture } from '@cairn/service/postgres-fixture'
import pino from 'pino'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readConfig, type StorageConfig } from '../config.ts'
import { type Storage, startStorage } from '../start.ts'

/** A file of a drill: its CID, its gateway path and its bytes. */
export type Stored = { cid: string; path: string; bytes: Buffer }

/** A service with a persistent home. Its database and packs can be saved and restored while it is stopped. */
export type Drill = {
  readonly address: string
  readonly packFolder: string
  config(): StorageConfig
  /** Starts the service; disposing stops it. */
  start(): Promise<Running>
  /** Starts it with earlier settings. */
  startWith(config: StorageConfig): Promise<Running>
  saveDatabase(): Promise<void>
  restoreDatabase(): Promise<void>
  loseDatabase(): Promise<void>
  /** Copies what a backup contains: finished objects only. */
  savePacks(): Promise<void>
  /** Swaps the packs with the saved ones. */
  swapPacks(): Promise<void>
  /** Adds the saved packs to the existing ones. */
  mergePacks(): Promise<void>
  losePacks(): Promise<void>
  /** Adds the id of another database to the pack folder. */
  addOwner(name: string): Promise<void>
  /** Every file of the pack folder that holds an object, for comparison. */
  listPacks(): Promise<string[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** A running service of a drill. */
export type Running = Storage & {
  /** Error lines of its log. */
  readonly errors: readonly string[]
  signIn(): Promise<string>
  upload(key: string, name: string, bytes: Uint8Array, headers?: Record<string, string>): Promise<Stored>
  /** Signs a link to a private upload, and returns the path with its query for `read`. */
  link(key: string, cid: string): Promise<string>
  /** Uploads a folder of files with these contents. */
  uploadFolder(key: string, files: Record<string, Uint8Array>): Promise<Stored[]>
  /** Status, code and bytes of a read through the gateway. */
  read(path: string): Promise<{ status: number; code: string | null; bytes: Buffer }>
  list(key: string): Promise<{ cid: string; name: string; sizeBytes: number }[]>
}

/** Prepares a drill on SQLite or PostgreSQL. */
export async function openDrill(postgres: PostgresFixture | undefined): Promise<Drill> {
  const root = await mkdtemp(join(tmpdir(), 'cairn-drill-'))
  const home = join(root, 'home')
  const packFolder = join(home, 'packs')
  const account = privateKeyToAccount(generatePrivateKey())
  const sqliteFiles = ['storage.sqlite', 'storage.sqlite-wal', 'storage.sqlite-shm']
  let url = await postgres?.createDatabase()
  let saved: string | undefined

  const config = () =>
    readConfig({
      CAIRN_HOME: home,
      CAIRN_PORT: '0',
      CAIRN_GATEWAY_PORT: '0',
      CAIRN_RATE_FACTOR: '0',
      ...(url === undefined ? {} : { CAIRN_DATABASE_URL: url }),
    })
  const moveSqlite = async (from: string, to: string): Promise<void> => {
    for (const name of sqliteFiles) {
      await rm(join(to, name), { force: true })
      await cp(join(from, name), join(to, name), { force: true }).catch((error: unknown) => {
        // A closed database has no write-ahead log.
        if (name === 'storage.sqlite') throw error
      })
    }
  }
  return {
    address: account.address.toLowerCase(),
    packFolder,
    config,
    start: () => start(config(), account),
    startWith: (given) => start(given, account),
    async saveDatabase() {
      if (url === undefined) await moveSqlite(home, root)
      else saved = await postgres?.copyDatabase(url)
    },
    async restoreDatabase() {
      if (url === undefined) await moveSqlite(root, home)
      else url = saved
    },
    async loseDatabase() {
      if (url === undefined) for (const name of sqliteFiles) await rm(join(home, name), { force: true })
      else url = await postgres?.createDatabase()
    },
    savePacks: () => cp(join(packFolder, 'objects'), join(root, 'saved-packs', 'objects'), { recursive: true }),
    async swapPacks() {
      await cp(packFolder, join(root, 'swap'), { recursive: true })
      await rm(packFolder, { recursive: true })
      await cp(join(root, 'saved-packs'), packFolder, { recursive: true })
      await rm(join(root, 'saved-packs'), { recursive: true })
      await cp(join(root, 'swap'), join(root, 'saved-packs'), { recursive: true })
      await rm(join(root, 'swap'), { recursive: true })
    },
    mergePacks: () => cp(join(root, 'saved-packs', 'objects'), join(packFolder, 'objects'), { recursive: true }),
    losePacks: () => rm(packFolder, { recursive: true }),
    addOwner: (name) => writeFile(join(packFolder, 'objects', 'owner', name), name),
    async listPacks() {
      const entries = await readdir(join(packFolder, 'objects', 'packs'), { recursive: true })
      return entries.filter((name) => name.endsWith('.car')).toSorted()
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

async function start(config: StorageConfig, account: ReturnType<typeof privateKeyToAccount>): Promise<Running> {
  const errors: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      const line = String(chunk)
      if (JSON.parse(line).level >= 50) errors.push(line)
      done()
    },
  })
  const storage = await startStorage(config, { log: pino({ level: 'info' }, sink) })
  const call = async (path: string, options: RequestInit = {}) => {
    const response = await fetch(`${storage.apiUrl}${path}`, options)
    const body = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`)
    return body
  }
  const send = async (
    key: string,
    path: string,
    files: Record<string, Uint8Array>,
    more: Record<string, string> = {},
  ) => {
    const form = new FormData()
    for (const [name, bytes] of Object.entries(files)) form.append('file', new Blob([bytes as BlobPart]), name)
    const body = await call(path, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...more }, body: form })
    return body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { Name: string; Hash: string })
  }
  return {
    ...storage,
    errors,
    async signIn() {
      const message = JSON.parse(await call(`/api/auth/get_message?publicKey=${account.address}`))
      const signedMessage = await account.signMessage({ message })
      return JSON.parse(
        await call('/api/auth/create_api_key', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ publicKey: account.address, signedMessage }),
        }),
      )
    },
    async upload(key, name, bytes, headers) {
      const [answer] = await send(key, '/api/v0/add', { [name]: bytes }, headers)
      const cid = answer?.Hash ?? ''
      return { cid, path: cid, bytes: Buffer.from(bytes) }
    },
    async uploadFolder(key, files) {
      const answers = await send(key, '/api/v0/add?wrap-with-directory=true', files)
      const cid = answers.at(-1)?.Hash ?? ''
      return Object.entries(files).map(([name, bytes]) => ({ cid, path: `${cid}/${name}`, bytes: Buffer.from(bytes) }))
    },
    async link(key, cid) {
      const body = await call('/api/gateway-links', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ cid }),
      })
      const { url } = JSON.parse(body) as { url: string }
      return url.slice(`${storage.gatewayUrl}/ipfs/`.length)
    },
    async read(path) {
      const response = await fetch(`${storage.gatewayUrl}/ipfs/${path}`)
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, code: response.headers.get('x-cairn-code'), bytes }
    },
    async list(key) {
      const body = JSON.parse(
        await call('/api/user/files_uploaded?limit=100', { headers: { authorization: `Bearer ${key}` } }),
      ) as { fileList: { cid: string; fileName: string; fileSizeInBytes: string }[] }
      return body.fileList.map(({ cid, fileName: name, fileSizeInBytes }) => ({
        cid,
        name,
        sizeBytes: Number(fileSizeInBytes),
      }))
    },
  }
}
