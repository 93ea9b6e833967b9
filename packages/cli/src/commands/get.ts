import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { CairnError, type Client, decryptFile, downloadFile, getFileInfo, isCid, recoverExported } from '@cairn/sdk'
import { type Command, flag, type Surroundings, text } from '../command.ts'
import { findContent } from '../content-path.ts'
import { openKeyClient } from '../key-client.ts'
import { formatBytes } from '../sizes.ts'

/** The key in an exported set, where one is given. */
async function readExportedKey({ values }: Surroundings, cid: string): Promise<string | undefined> {
  const path = text(values, 'key-file')
  if (path === undefined) return undefined
  let json: unknown
  try {
    json = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  }
  const exported = recoverExported(json)
  if (exported.cid !== cid)
    throw new CairnError('USAGE', { message: `${path} is the key of ${exported.cid}, not of ${cid}` })
  return exported.masterKey
}

/** Whether a CID is that of a file somebody encrypted. What nobody uploaded here is taken as it is. */
async function isEncrypted(client: Client, cidPath: string): Promise<boolean> {
  if (!isCid(cidPath)) return false
  try {
    return (await getFileInfo(client, cidPath)).encryption
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND')) return false
    throw error
  }
}

export const get: Command = {
  name: 'get',
  summary: 'Download a file or folder, verified; encrypted files are decrypted',
  usage: '<cid[/path]|name[/path]>',
  arity: [1, 1],
  options: {
    output: { type: 'string', short: 'o', about: 'where to (the last name of the path)', value: 'path' },
    force: { type: 'boolean', short: 'f', about: 'replace what is there' },
    encrypted: { type: 'boolean', about: 'leave an encrypted file as it is' },
    'key-file': { type: 'string', about: 'exported key set: no key node is asked', value: 'file' },
  },
  examples: ['cairn get bafy… -o photo.jpg', 'cairn get bafy…/docs/readme.md'],
  async run(surroundings) {
    const { args, values, output, session, signal } = surroundings
    const target = text(values, 'output') ?? basename(args[0] ?? '')
    if (target === '' || target === '.' || target === '..')
      throw new CairnError('USAGE', { message: 'Where to? Give -o' })
    const cidPath = await findContent(surroundings, args[0] ?? '')
    const client = await session.anonymous()
    const progress = output.progress(target)
    const options = {
      overwrite: flag(values, 'force'),
      signal,
      ...(progress === undefined ? {} : { onProgress: progress.onProgress }),
    }
    const fetchFile = async () => {
      const masterKey = await readExportedKey(surroundings, cidPath)
      if (masterKey !== undefined) return decryptFile(client, cidPath, target, { ...options, masterKey })
      if (flag(values, 'encrypted') || !(await isEncrypted(client, cidPath)))
        return downloadFile(client, cidPath, target, options)
      return decryptFile(await openKeyClient(surroundings), cidPath, target, options)
    }
    const result = await fetchFile().finally(() => progress?.done())
    output.result(
      result,
      `${target}  ${formatBytes(result.sizeBytes)}${result.files === 1 ? '' : `  ${result.files} files`}`,
    )
  },
}
