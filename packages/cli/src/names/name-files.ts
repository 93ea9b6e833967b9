import { readFile } from 'node:fs/promises'
import { CairnError } from '@cairn/sdk'
import { type CommandContext, flag } from '../command.ts'

/** Maximum size of a key file, in bytes. */
const maxKeyBytes = 4096

/**
 * Reads a key file, or standard input.
 * @throws CairnError FILE_UNREADABLE, INVALID_NAME_KEY, USAGE
 */
export async function readKeyFile(path: string, { stdin, values }: CommandContext): Promise<Uint8Array> {
  if (path !== '-') {
    const bytes = await readFile(path).catch((cause: unknown) => {
      throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
    })
    return requireShort(bytes)
  }
  if (flag(values, 'password-stdin')) {
    throw new CairnError('USAGE', {
      message: 'Standard input cannot contain both the key and its password',
      hint: 'Pass the key as a file, or set CAIRN_PASSWORD_FILE to a file with the password.',
    })
  }
  const pieces: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece)
    sizeBytes += bytes.length
    if (sizeBytes > maxKeyBytes) throw new CairnError('INVALID_NAME_KEY')
    pieces.push(bytes)
  }
  return requireShort(Buffer.concat(pieces))
}

function requireShort(bytes: Buffer): Uint8Array {
  if (bytes.length > maxKeyBytes) throw new CairnError('INVALID_NAME_KEY')
  return new Uint8Array(bytes)
}
