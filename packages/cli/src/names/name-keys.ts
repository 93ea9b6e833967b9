import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ed25519SeedPrefix, isRecord } from '@cairn/protocol'
import { CairnError, exportNameKey, importNameKey, type NameKey } from '@cairn/sdk'
import { makeFolder } from '../state/make-folder.ts'
import { readSecret, writeSecret } from '../state/state.ts'
import type { Prompt } from '../terminal/prompt.ts'
import { type LockedSeed, lockSeed, unlockSeed } from './locked-seed.ts'

/** A name key on this machine, plain or encrypted with a password. */
export type KeptNameKey = {
  name: string
  label: string | null
  /** As `exportNameKey` writes it for libp2p. */
  key: { libp2p: string } | { locked: LockedSeed }
}

const namePattern = /^k[0-9a-z]{40,80}$/

/**
 * The name keys on this machine: one file with mode 0600 per key, so that none is lost if two are created concurrently.
 */
export type NameKeys = {
  list(): Promise<KeptNameKey[]>
  read(name: string): Promise<KeptNameKey | undefined>
  /** @throws CairnError FILE_EXISTS */
  add(key: NameKey, options: { label: string | null; password: string | undefined }): Promise<void>
  rename(kept: KeptNameKey, label: string | null): Promise<void>
  remove(name: string): Promise<void>
}

export function openNameKeys(stateFolder: string): NameKeys {
  const folder = join(stateFolder, 'names')
  const pathOf = (name: string) => join(folder, `${name}.json`)
  const read = async (name: string): Promise<KeptNameKey | undefined> => {
    if (!namePattern.test(name)) return undefined
    const text = await readSecret(pathOf(name))
    return text === undefined ? undefined : parseKept(text, name, pathOf(name))
  }
  const write = async (kept: KeptNameKey): Promise<void> => {
    await makeFolder(stateFolder)
    await writeSecret(folder, pathOf(kept.name), `${JSON.stringify(kept, null, 2)}\n`)
  }
  return {
    read,
    async list() {
      const names = await readdir(folder).catch((error: unknown): string[] => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
        throw error
      })
      const kept: KeptNameKey[] = []
      for (const file of names.toSorted()) {
        const found = file.endsWith('.json') ? await read(file.slice(0, -'.json'.length)) : undefined
        if (found !== undefined) kept.push(found)
      }
      return kept
    },
    async add(key, { label, password }) {
      if ((await read(key.name)) !== undefined) {
        throw new CairnError('FILE_EXISTS', {
          message: `The key of ${key.name} is already on this machine`,
          hint: 'Run cairn name list to list your names.',
        })
      }
      const { name } = key
      const kept =
        password === undefined
          ? { libp2p: await exportNameKey(key, 'libp2p') }
          : { locked: await lockSeed(key.seed, name, password) }
      await write({ name, label, key: kept })
    },
    rename: (kept, label) => write({ ...kept, label }),
    remove: (name) => rm(pathOf(name), { force: true }),
  }
}

/**
 * Returns the key itself; asks for its password if it has one.
 * @throws CairnError INVALID_KEYSTORE, FILE_UNREADABLE
 */
export async function openKept(kept: KeptNameKey, prompt: Prompt): Promise<NameKey> {
  const text =
    'libp2p' in kept.key
      ? kept.key.libp2p
      : pemOf(await unlockSeed(kept.key.locked, kept.name, await prompt.password(`Password of ${titleOf(kept)}`)))
  const key = await importNameKey(text)
  if (key.name === kept.name) return key
  throw new CairnError('FILE_UNREADABLE', {
    message: `The key file of ${kept.name} contains the key of another name`,
    hint: 'Restore it from a backup, or import the key again.',
  })
}

/** Returns the display name of a name. */
export function titleOf({ name, label }: { name: string; label: string | null }): string {
  return label ?? name
}

/** Encodes an Ed25519 seed as PKCS#8. @see https://www.rfc-editor.org/rfc/rfc8410 */
function pemOf(seed: Uint8Array): string {
  const der = Buffer.concat([ed25519SeedPrefix, seed])
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
}

function parseKept(text: string, name: string, path: string): KeptNameKey {
  const damaged = (cause?: unknown) =>
    new CairnError('FILE_UNREADABLE', {
      message: `${path} is damaged`,
      hint: 'Restore it from a backup, or remove it and import the key again.',
      cause,
    })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw damaged(cause)
  }
  if (!isRecord(json) || json['name'] !== name || !isRecord(json['key'])) throw damaged()
  const { label } = json
  const { libp2p, locked } = json['key']
  const title = typeof label === 'string' ? label : null
  if (typeof libp2p === 'string') return { name, label: title, key: { libp2p } }
  if (isLocked(locked)) return { name, label: title, key: { locked } }
  throw damaged()
}

function isLocked(value: unknown): value is LockedSeed {
  return (
    isRecord(value) &&
    value['kdf'] === 'scrypt' &&
    typeof value['logN'] === 'number' &&
    [value['salt'], value['iv'], value['ciphertext']].every((part) => typeof part === 'string')
  )
}
