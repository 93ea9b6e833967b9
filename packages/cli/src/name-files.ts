import { open, readFile } from 'node:fs/promises'
import { CairnError } from '@cairn/sdk'
import { flag, type Surroundings } from './command.ts'

/** Keys are short: a file with more is none. */
const keyBytesMost = 4096

/** Reads the file of a key, or standard input. @throws CairnError FILE_UNREADABLE, INVALID_NAME_KEY, USAGE */
export async function readKeyFile(path: string, { stdin, values }: Surroundings): Promise<Uint8Array> {
  if (path !== '-') {
    const bytes = await readFile(path).catch((cause: unknown) => {
      throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
    })
    return requireShort(bytes)
  }
  if (flag(values, 'password-stdin')) {
    throw new CairnError('USAGE', {
      message: 'Standard input cannot have both the key and its password',
      hint: 'Give the key as a file, or name a file with the password in CAIRN_PASSWORD_FILE.',
    })
  }
  const pieces: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece)
    sizeBytes += bytes.length
    if (sizeBytes > keyBytesMost) throw new CairnError('INVALID_NAME_KEY')
    pieces.push(bytes)
  }
  return requireShort(Buffer.concat(pieces))
}

function requireShort(bytes: Buffer): Uint8Array {
  if (bytes.length > keyBytesMost) throw new CairnError('INVALID_NAME_KEY')
  return new Uint8Array(bytes)
}

/** Writes a key to a new file that only its owner can read. @throws CairnError FILE_EXISTS, FILE_UNREADABLE */
export async function writeKeyFile(path: string, key: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    if (exists) throw new CairnError('FILE_EXISTS', { message: `${path} exists already`, cause })
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot write ${path}`, cause })
  })
  try {
    await file.writeFile(key)
    await file.sync()
  } finally {
    await file.close()
  }
}
