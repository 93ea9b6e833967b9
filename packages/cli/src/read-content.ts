import { CairnError, type Client, isEncrypted, openEncryptedFolder, restoreError } from '@cairn/sdk'
import { type CommandContext, flag, type Options, text } from './command.ts'
import { findContent } from './content-path.ts'
import { openKeyClient } from './keys/key-client.ts'
import { readKeySet } from './keys/read-key-set.ts'

/** Options of commands that read content. */
export const readOptions = {
  encrypted: { type: 'boolean', about: 'do not decrypt an encrypted file' },
  'key-file': { type: 'string', about: 'decrypt with an exported key set, without the key nodes', value: 'file' },
} as const satisfies Options

/** Content that a command reads, and how. */
export type Content = {
  client: Client
  /** A CID, and the path below it. */
  cidPath: string
  cid: string
  path: string
  /** How to decrypt it; undefined for plain content. */
  decryption: { masterKey?: string } | undefined
}

/**
 * Resolves an argument, and whether its content requires decryption.
 * @throws CairnError INVALID_CID, NAME_NOT_FOUND, FILE_UNREADABLE, KEY_NODES_UNAVAILABLE, NO_WALLET
 */
export async function openContent(
  context: CommandContext,
  argument: string,
  wayOut = toDownloadBytes,
): Promise<Content> {
  const { values, session, signal } = context
  const cidPath = await findContent(context, argument)
  const [cid = '', ...names] = cidPath.replace(/^\/ipfs\//, '').split('/')
  const where = { cidPath, cid, path: names.join('/') }
  const client = await session.optionalClient()
  const masterKey = await readExportedKey(context, cid)
  if (masterKey !== undefined) return { ...where, client, decryption: { masterKey } }
  if (flag(values, 'encrypted')) return { ...where, client, decryption: undefined }
  const mustDecrypt = await isEncrypted(client, cid, { signal }).catch((error: unknown) => {
    throw withWayOut(error, wayOut)
  })
  return mustDecrypt
    ? { ...where, client: await openKeyClient(context), decryption: {} }
    : { ...where, client, decryption: undefined }
}

/**
 * Returns path and key of a file in a folder encrypted as one.
 * @throws CairnError NOT_FOUND, NOT_A_FILE for a folder in it
 */
export async function findEncryptedFile(
  { client, cid, path, decryption }: Content,
  signal: AbortSignal,
): Promise<{ cidPath: string; masterKey: string }> {
  const { masterKey, files, folders } = await openEncryptedFolder(client, cid, { ...decryption, signal })
  // As in paths of plain content, slashes may repeat.
  const wanted = path.split('/').filter(Boolean).join('/')
  const file = files.find((one) => one.path === wanted)
  if (file === undefined) {
    const paths = [...files.map((one) => one.path), ...folders.map((folder) => `${folder}/`)]
    if (paths.some((one) => one.startsWith(`${wanted}/`)))
      throw new CairnError('NOT_A_FILE', {
        message: `${wanted} is a folder in an encrypted folder`,
        hint: 'Use the path of a file in it, or download the whole folder by its CID.',
      })
    throw new CairnError('NOT_FOUND', { message: `The folder does not contain ${path}` })
  }
  return { cidPath: file.cidPath, masterKey }
}

const toDownloadBytes = 'To download the encrypted bytes, use --encrypted.'

/** Anyone can save a key for a CID of plain content, so a decryption error names the way around it. */
export function withWayOut(error: unknown, wayOut = toDownloadBytes): unknown {
  const codes = ['ACCESS_DENIED', 'DECRYPTION_FAILED', 'NOT_ENCRYPTED', 'KEY_NODES_UNAVAILABLE'] as const
  if (!CairnError.is(error) || !codes.some((code) => CairnError.is(error, code))) return error
  return restoreError(error.code, {
    message: error.message,
    hint: `${error.hint} ${wayOut}`,
    details: error.details,
    cause: error,
  })
}

/** Returns the key of an exported set, if one is given. */
async function readExportedKey({ values }: CommandContext, cid: string): Promise<string | undefined> {
  const path = text(values, 'key-file')
  if (path === undefined) return undefined
  const exported = await readKeySet(path)
  if (exported.cid !== cid)
    throw new CairnError('USAGE', { message: `${path} is the key of ${exported.cid}, not of ${cid}` })
  return exported.masterKey
}
