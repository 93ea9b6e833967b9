import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError } from '@cairn/sdk'

/** What the command line keeps: a locked wallet, and one API key for each network. Files 0600 in a folder 0700. */
export type State = {
  readonly folder: string
  readWallet(): Promise<string | undefined>
  writeWallet(keystore: string): Promise<void>
  forgetWallet(): Promise<boolean>
  readKey(api: string): Promise<string | undefined>
  writeKey(api: string, key: string): Promise<void>
  forgetKey(api: string): Promise<void>
  /** The session with the key nodes of a network, as JSON. */
  readSession(network: string): Promise<unknown>
  /** Keeps a session; undefined forgets it. */
  writeSession(network: string, session: unknown): Promise<void>
  /** How far an unfinished upload is, as JSON. */
  readUpload(id: string): Promise<unknown>
  /** Keeps it; undefined forgets it. */
  writeUpload(id: string, upload: unknown): Promise<void>
}

export function createState(folder: string): State {
  const wallet = join(folder, 'wallet.json')
  const keys = join(folder, 'keys.json')
  const sessions = join(folder, 'sessions.json')
  const uploads = join(folder, 'uploads.json')
  const readRecord = async (path: string): Promise<Record<string, unknown>> => {
    const text = await readSecret(path)
    const json: unknown = text === undefined ? {} : parse(text, path)
    return typeof json === 'object' && json !== null ? { ...json } : {}
  }
  const writeEntry = async (path: string, name: string, value: unknown): Promise<void> => {
    const { [name]: _before, ...rest } = await readRecord(path)
    const all = value === undefined ? rest : { ...rest, [name]: value }
    await writeSecret(folder, path, `${JSON.stringify(all, null, 2)}\n`)
  }
  const readKeys = async (): Promise<Record<string, string>> => {
    const text = await readSecret(keys)
    if (text === undefined) return {}
    const json: unknown = parse(text, keys)
    const entries = typeof json === 'object' && json !== null ? Object.entries(json) : []
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  }
  return {
    folder,
    readWallet: () => readSecret(wallet),
    writeWallet: (keystore) => writeSecret(folder, wallet, `${keystore}\n`),
    async forgetWallet() {
      const there = (await readSecret(wallet)) !== undefined
      await rm(wallet, { force: true })
      return there
    },
    readKey: async (api) => (await readKeys())[api],
    writeKey: async (api, key) =>
      writeSecret(folder, keys, `${JSON.stringify({ ...(await readKeys()), [api]: key }, null, 2)}\n`),
    async forgetKey(api) {
      const { [api]: _gone, ...rest } = await readKeys()
      await writeSecret(folder, keys, `${JSON.stringify(rest, null, 2)}\n`)
    },
    readSession: async (network) => (await readRecord(sessions))[network],
    writeSession: (network, session) => writeEntry(sessions, network, session),
    readUpload: async (id) => (await readRecord(uploads))[id],
    writeUpload: (id, upload) => writeEntry(uploads, id, upload),
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CairnError('FILE_UNREADABLE', {
      message: `${path} is damaged`,
      hint: 'Move it away and make a new key.',
      cause,
    })
  }
}

/** Reads a secret, if others cannot: a file that is open to them is not used. */
export async function readSecret(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new CairnError('FILE_UNREADABLE', {
        message: `${path} can be read by others`,
        hint: `Run: chmod 600 '${path}'`,
      })
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a file that only its owner can read, whole or not at all. */
export async function writeSecret(folder: string, path: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
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
