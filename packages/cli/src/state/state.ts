import { chmod, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError } from '@cairn/sdk'
import { makeFolder } from './make-folder.ts'
import { type LockOptions, withFileLock } from './with-file-lock.ts'

/** An API key with its account, which is unknown for imported keys. */
export type KeptKey = { key: string; address?: string }

/**
 * State of the command line: an encrypted wallet, and one API key per network. Files with mode 0600 in a folder with
 * mode 0700.
 */
export type State = {
  readonly folder: string
  readWallet(): Promise<string | undefined>
  writeWallet(keystore: string): Promise<void>
  clearWallet(): Promise<boolean>
  /** Returns the address of the wallet in lower case; the wallet stays locked. */
  readAddress(): Promise<string | undefined>
  readKey(api: string): Promise<KeptKey | undefined>
  /** Returns the API keys of all networks, by the URL of their API. */
  readKeys(): Promise<Record<string, KeptKey>>
  writeKey(api: string, key: KeptKey): Promise<void>
  clearKey(api: string): Promise<void>
  /** Returns the session with the key nodes of a network, as JSON. */
  readSession(network: string): Promise<unknown>
  /** Stores a session; undefined removes it. */
  writeSession(network: string, session: unknown): Promise<void>
  /** Returns the progress of an unfinished upload, as JSON. */
  readUpload(id: string): Promise<unknown>
  /** Stores the progress; undefined removes it. */
  writeUpload(id: string, upload: unknown): Promise<void>
  /** Returns what this machine remembers of a drive, as JSON. */
  readDrive(place: string): Promise<unknown>
  writeDrive(place: string, known: unknown): Promise<void>
  /** Returns the known addresses of a network by its URL, as JSON. */
  readNetwork(url: string): Promise<unknown>
  writeNetwork(url: string, trusted: unknown): Promise<void>
  /**
   * Creates an API key while no other command does: the second one finds the key of the first, however long that takes.
   * @throws CairnError ABORTED
   */
  whileCreatingKey<T>(work: () => Promise<T>, options: Required<LockOptions>): Promise<T>
}

export function createState(folder: string): State {
  const wallet = join(folder, 'wallet.json')
  const keys = join(folder, 'keys.json')
  const sessions = join(folder, 'sessions.json')
  const uploads = join(folder, 'uploads.json')
  const drives = join(folder, 'drives.json')
  const networks = join(folder, 'networks.json')
  /** What to do about a damaged file of those that can be made again. */
  const remedies: Readonly<Record<string, string>> = {
    [keys]: 'Remove the file and create a new API key.',
    [sessions]: 'Remove the file. The next command signs in again.',
    [uploads]: 'Remove the file. Unfinished uploads start again.',
    [drives]: 'Remove the file. It records the newest revision of each drive that this machine has seen.',
    [networks]: 'Remove the file, and check the addresses of the network: cairn network.',
  }
  const readRecord = async (path: string): Promise<Record<string, unknown>> => {
    const text = await readSecret(path)
    const json: unknown = text === undefined ? {} : parse(text, path, remedies[path] ?? 'Remove the file.')
    return typeof json === 'object' && json !== null ? { ...json } : {}
  }
  const writeEntry = async (path: string, name: string, value: unknown): Promise<void> => {
    await makePrivateFolder(folder)
    // Two commands at the same time would each write what they read, without the entry of the other.
    await withFileLock(`${path}.lock`, async () => {
      const { [name]: _before, ...rest } = await readRecord(path)
      const all = value === undefined ? rest : { ...rest, [name]: value }
      await writeSecret(folder, path, `${JSON.stringify(all, null, 2)}\n`)
    })
  }
  const readKeys = async (): Promise<Record<string, KeptKey>> => {
    const kept = Object.entries(await readRecord(keys)).flatMap(([api, value]) => {
      const key = readKept(value)
      return key === undefined ? [] : [[api, key] as const]
    })
    return Object.fromEntries(kept)
  }
  return {
    folder,
    readWallet: () => readSecret(wallet),
    writeWallet: (keystore) => writeSecret(folder, wallet, `${keystore}\n`),
    async clearWallet() {
      const there = (await readSecret(wallet)) !== undefined
      await rm(wallet, { force: true })
      return there
    },
    readKey: async (api) => (await readKeys())[api],
    readKeys,
    writeKey: (api, key) => writeEntry(keys, api, key),
    clearKey: (api) => writeEntry(keys, api, undefined),
    async readAddress() {
      const text = await readSecret(wallet)
      if (text === undefined) return undefined
      const json: unknown = parse(text, wallet, walletRemedy)
      const address = typeof json === 'object' && json !== null && 'address' in json ? json.address : undefined
      if (typeof address !== 'string') throw damaged(wallet, walletRemedy)
      return `0x${address.replace(/^0x/i, '').toLowerCase()}`
    },
    readSession: async (network) => (await readRecord(sessions))[network],
    writeSession: (network, session) => writeEntry(sessions, network, session),
    readUpload: async (id) => (await readRecord(uploads))[id],
    writeUpload: (id, upload) => writeEntry(uploads, id, upload),
    readDrive: async (place) => (await readRecord(drives))[place],
    writeDrive: (place, known) => writeEntry(drives, place, known),
    readNetwork: async (url) => (await readRecord(networks))[url],
    writeNetwork: (url, trusted) => writeEntry(networks, url, trusted),
    async whileCreatingKey(work, options) {
      await makePrivateFolder(folder)
      return withFileLock(join(folder, 'new-key.lock'), work, options)
    },
  }
}

/** Parses a stored key; earlier versions stored only the key. */
function readKept(value: unknown): KeptKey | undefined {
  if (typeof value === 'string') return { key: value }
  if (typeof value !== 'object' || value === null || !('key' in value) || typeof value.key !== 'string')
    return undefined
  const { key } = value
  return 'address' in value && typeof value.address === 'string' ? { key, address: value.address } : { key }
}

const walletRemedy = 'Restore it from an export: cairn wallet import <file> --force.'

/** @param hint what to do if the file is damaged */
function parse(text: string, path: string, hint: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw damaged(path, hint, cause)
  }
}

function damaged(path: string, hint: string, cause?: unknown): CairnError {
  return new CairnError('FILE_UNREADABLE', { message: `${path} is damaged`, hint, cause })
}

/** Reads a secret, unless others can read the file. */
export async function readSecret(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new CairnError('FILE_UNREADABLE', {
        message: `${path} is readable by other users`,
        hint: `Run: chmod 600 '${path}'`,
      })
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder)
  await chmod(folder, 0o700)
}

/** Writes a file that only its owner can read, atomically. */
export async function writeSecret(folder: string, path: string, text: string): Promise<void> {
  await makePrivateFolder(folder)
  const temporary = `${path}.${process.pid}.tmp`
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
