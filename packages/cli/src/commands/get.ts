import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  CairnError,
  type Client,
  type DownloadResult,
  decryptFile,
  decryptFolder,
  downloadFile,
  getFileInfo,
  isCid,
  isFolder,
  openEncryptedFolder,
  recoverExported,
} from '@cairn/sdk'
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

/** Whether a CID is that of something somebody encrypted. What nobody uploaded here is taken as it is. */
async function isEncrypted(client: Client, cid: string): Promise<boolean> {
  if (!isCid(cid)) return false
  try {
    return (await getFileInfo(client, cid)).encryption
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND')) return false
    throw error
  }
}

/** Decrypts a file, a folder that was encrypted as one, or a file of such a folder. */
async function decrypt(
  client: Client,
  cid: string,
  path: string,
  target: string,
  options: NonNullable<Parameters<typeof decryptFolder>[3]>,
): Promise<DownloadResult> {
  if (path === '') {
    const isOne = await isFolder(client, cid, options.signal === undefined ? {} : { signal: options.signal })
    return isOne ? decryptFolder(client, cid, target, options) : decryptFile(client, cid, target, options)
  }
  const { masterKey, files } = await openEncryptedFolder(client, cid, options)
  const file = files.find((one) => one.path === path)
  if (file === undefined) throw new CairnError('NOT_FOUND', { message: `The folder has no file ${path}` })
  return decryptFile(client, file.cidPath, target, { ...options, masterKey })
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
      const [cid = '', ...names] = cidPath.replace(/^\/ipfs\//, '').split('/')
      const path = names.join('/')
      const masterKey = await readExportedKey(surroundings, cid)
      if (masterKey !== undefined) return decrypt(client, cid, path, target, { ...options, masterKey })
      if (flag(values, 'encrypted') || !(await isEncrypted(client, cid)))
        return downloadFile(client, cidPath, target, options)
      return decrypt(await openKeyClient(surroundings), cid, path, target, options)
    }
    const result = await fetchFile().finally(() => progress?.done())
    output.result(
      result,
      `${target}  ${formatBytes(result.sizeBytes)}${result.files === 1 ? '' : `  ${result.files} files`}`,
    )
  },
}
