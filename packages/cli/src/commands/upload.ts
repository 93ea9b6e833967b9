import { stat } from 'node:fs/promises'
import {
  CairnError,
  type Client,
  type UploadOptions,
  type UploadResult,
  uploadCar,
  uploadFile,
  uploadFolder,
  uploadStream,
} from '@cairn/sdk'
import { type Command, flag, type Surroundings, text } from '../command.ts'
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
  return found.isDirectory() ? uploadFolder(client, path, options) : uploadFile(client, path, options)
}

export const upload: Command = {
  name: 'upload',
  summary: 'Upload files and folders; - is standard input',
  usage: '<path…|->',
  arity: [1, Number.POSITIVE_INFINITY],
  options: {
    name: { type: 'string', short: 'n', about: 'name in listings', value: 'text' },
    'cid-version': { type: 'string', about: '0 or 1 (1)', value: 'n' },
    profile: { type: 'string', about: 'unixfs-v1-2025: chunks of 1 MiB', value: 'name' },
    wrap: { type: 'boolean', short: 'w', about: 'put a single file into a folder' },
    mime: { type: 'string', about: 'MIME type to keep', value: 'type' },
    car: { type: 'boolean', about: 'the file is a CAR: keep its root' },
  },
  examples: ['cairn upload photo.jpg', 'cairn upload site/ --json', 'tar c src | cairn upload - --name src.tar'],
  async run(surroundings) {
    const { args, output, session } = surroundings
    const options = readOptions(surroundings)
    if (args.length > 1 && options.name !== undefined)
      throw new CairnError('USAGE', { message: '--name goes with one path only' })
    const client = await session.client()
    for (const path of args) {
      const progress = output.progress(path)
      const finish = () => progress?.done()
      const withProgress = progress === undefined ? options : { ...options, onProgress: progress.onProgress }
      const result = await uploadOne(client, path, withProgress, surroundings).finally(finish)
      const url = `${client.network.gateway}/ipfs/${result.cid}`
      output.result({ ...result, url }, () => `${result.cid}  ${result.name}  ${formatBytes(result.sizeBytes)}\n${url}`)
    }
  },
}
