import { stat } from 'node:fs/promises'
import {
  CairnError,
  type Client,
  type EncryptedFolderOptions,
  type EncryptedUploadResult,
  type UploadOptions,
  type UploadResult,
  uploadCar,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadEncryptedStream,
  uploadFile,
  uploadFolder,
  uploadStream,
} from '@cairn/sdk'
import { type Command, flag, type Surroundings, text } from '../command.ts'
import { openKeyClient } from '../key-client.ts'
import { readConditionsFile } from '../read-conditions.ts'
import { uploadResumably } from '../resume-upload.ts'
import { formatBytes } from '../sizes.ts'

function readOptions({ values, signal }: Surroundings): UploadOptions {
  const version = text(values, 'cid-version') ?? '1'
  if (version !== '0' && version !== '1') throw new CairnError('USAGE', { message: 'cid-version must be 0 or 1' })
  const options: UploadOptions = {
    cidVersion: version === '0' ? 0 : 1,
    wrapWithDirectory: flag(values, 'wrap'),
    signal,
  }
  const [name, mimeType, profile] = [text(values, 'name'), text(values, 'mime'), text(values, 'profile')]
  if (name !== undefined) options.name = name
  if (mimeType !== undefined) options.mimeType = mimeType
  if (profile === 'unixfs-v1-2025') options.profile = profile
  else if (profile !== undefined)
    throw new CairnError('USAGE', { message: `There is no profile ${profile}`, hint: 'There is unixfs-v1-2025.' })
  return options
}

async function uploadOne(
  client: Client,
  path: string,
  options: UploadOptions,
  surroundings: Surroundings,
): Promise<UploadResult> {
  if (path === '-') return uploadStream(client, surroundings.stdin, { name: 'stdin', ...options })
  if (flag(surroundings.values, 'car')) return uploadCar(client, path, options)
  const found = await stat(path).catch((cause: unknown) => {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  })
  const upload = (wish: UploadOptions) =>
    found.isDirectory() ? uploadFolder(client, path, wish) : uploadFile(client, path, wish)
  if (!flag(surroundings.values, 'resume')) return upload(options)
  return uploadResumably(surroundings.state, client.network.api, path, options, upload)
}

/** What encrypted uploads take beside the options of all. */
async function readEncryption({ values, stdin }: Surroundings): Promise<Partial<EncryptedFolderOptions>> {
  const asOne = flag(values, 'as-one')
  const format = text(values, 'format') ?? (asOne ? 'v2' : 'v1')
  if (format !== 'v1' && format !== 'v2') throw new CairnError('USAGE', { message: '--format must be v1 or v2' })
  if (asOne && format === 'v1')
    throw new CairnError('USAGE', { message: 'The files of a folder with one key are of format v2' })
  const shareTo = (text(values, 'share') ?? '').split(',').filter((address) => address !== '')
  const file = text(values, 'conditions')
  return {
    format,
    shareTo,
    asOne,
    ...(file === undefined ? {} : { conditions: await readConditionsFile(file, stdin) }),
  }
}

async function encryptOne(
  client: Client,
  path: string,
  options: EncryptedFolderOptions,
  { stdin }: Surroundings,
): Promise<EncryptedUploadResult[]> {
  if (path === '-') return [await uploadEncryptedStream(client, stdin, { name: 'stdin', ...options })]
  const found = await stat(path).catch((cause: unknown) => {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  })
  return found.isDirectory()
    ? uploadEncryptedFolder(client, path, options)
    : [await uploadEncrypted(client, path, options)]
}

async function uploadAllEncrypted(surroundings: Surroundings, options: UploadOptions): Promise<void> {
  const { args, output } = surroundings
  const client = await openKeyClient(surroundings, { withApiKey: true })
  const { wrapWithDirectory: _wrap, ...rest } = options
  const encryption = await readEncryption(surroundings)
  for (const path of args) {
    const progress = output.progress(path)
    const settings = { ...rest, ...encryption, ...(progress === undefined ? {} : { onProgress: progress.onProgress }) }
    const results = await encryptOne(client, path, settings, surroundings).finally(() => progress?.done())
    for (const { keys, ...result } of results) {
      const nodes = { done: keys.done, pending: keys.pending.map(({ node, error }) => ({ node, code: error.code })) }
      output.result(
        { ...result, encrypted: true, keyNodes: nodes },
        () =>
          `${result.cid}  ${result.name}  ${formatBytes(result.sizeBytes)}  encrypted, key on ${keys.done.length} of 5 nodes`,
        result.cid,
      )
      if (keys.pending.length > 0)
        output.note(
          `Nodes ${keys.pending.map(({ node }) => node).join(', ')} lack the key: cairn keys repair ${result.cid}`,
        )
    }
  }
}

export const upload: Command = {
  name: 'upload',
  summary: 'Upload files and folders; - is standard input',
  usage: '<path…|->',
  arity: [1, Number.POSITIVE_INFINITY],
  options: {
    name: { type: 'string', short: 'n', about: 'name in listings', value: 'text' },
    'cid-version': { type: 'string', about: '0 or 1 (1)', value: 'n', choices: ['0', '1'] },
    profile: { type: 'string', about: 'unixfs-v1-2025: chunks of 1 MiB', value: 'name', choices: ['unixfs-v1-2025'] },
    wrap: { type: 'boolean', short: 'w', about: 'put a single file into a folder' },
    mime: { type: 'string', about: 'MIME type to keep', value: 'type' },
    resume: { type: 'boolean', about: 'send it in parts: after a break the same call goes on' },
    car: { type: 'boolean', about: 'the file is a CAR: keep its root' },
    encrypt: { type: 'boolean', short: 'e', about: 'encrypt on this machine, the key split over five nodes' },
    format: {
      type: 'string',
      about: 'of encrypted files: v1, or v2 that can be sought in (v1)',
      value: 'v1|v2',
      choices: ['v1', 'v2'],
    },
    'as-one': { type: 'boolean', about: 'an encrypted folder gets one CID and one key, and hides its names' },
    share: { type: 'string', about: 'addresses that may decrypt, separated by commas', value: 'addresses' },
    conditions: { type: 'string', about: 'JSON of conditions under which anybody may decrypt', value: 'file' },
  },
  examples: [
    'cairn upload photo.jpg',
    'cairn upload --resume film.mkv',
    'cairn upload --encrypt diary.txt',
    'cairn upload --encrypt --as-one photos/',
    'cairn upload site/ --json',
    'tar c src | cairn upload - --name src.tar',
  ],
  async run(surroundings) {
    const { args, output, session } = surroundings
    const options = readOptions(surroundings)
    if (args.length > 1 && options.name !== undefined)
      throw new CairnError('USAGE', { message: '--name goes with one path only' })
    const other = ['encrypt', 'car'].find((name) => flag(surroundings.values, name)) ?? (args.includes('-') ? '-' : '')
    if (flag(surroundings.values, 'resume') && other !== '')
      throw new CairnError('USAGE', {
        message: `--resume goes with files and folders, not with ${other.length > 1 ? `--${other}` : other}`,
      })
    if (flag(surroundings.values, 'encrypt')) return uploadAllEncrypted(surroundings, options)
    for (const name of ['format', 'share', 'conditions', 'as-one'])
      if (surroundings.values[name] !== undefined)
        throw new CairnError('USAGE', { message: `--${name} goes with --encrypt` })
    const client = await session.client()
    for (const path of args) {
      const progress = output.progress(path)
      const finish = () => progress?.done()
      const withProgress = progress === undefined ? options : { ...options, onProgress: progress.onProgress }
      const result = await uploadOne(client, path, withProgress, surroundings).finally(finish)
      const url = `${client.network.gateway}/ipfs/${result.cid}`
      output.result(
        { ...result, url },
        () => [`${result.cid}  ${result.name}  ${formatBytes(result.sizeBytes)}`, url],
        result.cid,
      )
    }
  },
}
