import { formatBytes, joinUrl, readMediaType } from '@cairn/protocol'
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
  uploadWithLink,
} from '@cairn/sdk'
import { announceOption, readAnnounce } from '../arguments/announce-option.ts'
import { cidOptions, isFolder, readCidOptions } from '../arguments/cid-options.ts'
import { readAddresses } from '../arguments/read-addresses.ts'
import { readConditionsFile } from '../arguments/read-conditions.ts'
import { type Command, type CommandContext, flag, type Options, text, type Values } from '../command.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { gatherLeftOut } from '../uploads/left-out.ts'
import { notePublicTwins } from '../uploads/note-public-twins.ts'
import { uploadOnce } from '../uploads/repeat-upload.ts'
import { uploadResumably } from '../uploads/resume-upload.ts'

/** The options of an upload that have an option here: all but those of the program. One that is missing does not compile. */
type Chosen = Omit<UploadOptions, 'signal' | 'onProgress' | 'onLeftOut' | 'resumable' | 'idempotencyKey'>

function readOptions({ values, signal }: CommandContext): UploadOptions {
  const chosen: { [Name in keyof Required<Chosen>]: Chosen[Name] | undefined } = {
    ...readCidOptions(values),
    name: readName(values),
    mimeType: readType(values),
    announce: readAnnounce(values),
    private: flag(values, 'private') || undefined,
    skipStored: flag(values, 'skip-stored') || undefined,
  }
  return { ...omitUndefined(chosen), signal }
}

/** @throws CairnError USAGE for a path: the service would create folders from the path of a plain file */
function readName(values: Values): string | undefined {
  const name = text(values, 'name')
  if (name === undefined || !name.includes('/') || flag(values, 'wrap') || flag(values, 'encrypt')) return name
  throw new CairnError('USAGE', {
    message: `--name must not contain "/": ${JSON.stringify(name)}`,
    hint: 'Use --wrap to put the file into folders, or upload a folder.',
  })
}

/** Returns the media type without its parameters, which services do not store. */
function readType(values: Values): string | undefined {
  const mime = text(values, 'mime')
  if (mime === undefined) return undefined
  const type = readMediaType(mime)
  if (type !== undefined) return type
  throw new CairnError('USAGE', {
    message: `--mime is not a media type: ${JSON.stringify(mime)}`,
    hint: 'Use a type such as image/png, or omit it to let the service detect the type.',
  })
}

function omitUndefined<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> }
function omitUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** @throws CairnError USAGE */
function checkArguments({ args, values }: CommandContext): void {
  if (args.length > 1 && values['name'] !== undefined)
    throw new CairnError('USAGE', { message: '--name requires exactly one path' })
  if (args.filter((path) => path === '-').length > 1)
    throw new CairnError('USAGE', {
      message: 'Standard input can be uploaded only once',
      hint: 'Write - once. A file of this name is ./-',
    })
  if (flag(values, 'as-one') && args.includes('-'))
    throw new CairnError('USAGE', { message: '--as-one supports folders, not -' })
}

/** @throws CairnError USAGE for options that exclude each other */
function checkCombinations({ args, values }: CommandContext): void {
  const isEncrypted = flag(values, 'encrypt')
  const other = ['encrypt', 'car'].find((name) => flag(values, name)) ?? (args.includes('-') ? '-' : '')
  if (flag(values, 'resume') && other !== '')
    throw new CairnError('USAGE', {
      message: `--resume supports files and folders, not ${other.length > 1 ? `--${other}` : other}`,
    })
  if (flag(values, 'private') && isEncrypted)
    throw new CairnError('USAGE', {
      message: '--private and --encrypt cannot be combined',
      hint: 'Omit --private: encrypted files can be read only with their key.',
    })
  if (flag(values, 'skip-stored') && args.includes('-'))
    throw new CairnError('USAGE', {
      message: '--skip-stored supports files and folders, not -',
      hint: 'Standard input is sent while it is read, so its CID is not known in advance.',
    })
  const notOfCar = ['skip-stored', ...Object.keys(cidOptions)].find((name) => values[name] !== undefined)
  if (flag(values, 'car') && notOfCar !== undefined)
    throw new CairnError('USAGE', {
      message: `--car and --${notOfCar} cannot be combined`,
      hint: 'A CAR contains its blocks and CIDs as they are.',
    })
  const plainOnly = ['car', 'wrap', 'skip-stored'].find((name) => flag(values, name))
  if (isEncrypted && plainOnly !== undefined)
    throw new CairnError('USAGE', { message: `--${plainOnly} and --encrypt cannot be combined` })
  const encryptedOnly = ['format', 'share', 'conditions', 'as-one'].find((name) => values[name] !== undefined)
  if (!isEncrypted && encryptedOnly !== undefined)
    throw new CairnError('USAGE', { message: `--${encryptedOnly} requires --encrypt` })
}

async function uploadOne(
  client: Client,
  path: string,
  options: UploadOptions,
  context: CommandContext,
): Promise<UploadResult> {
  const isCar = flag(context.values, 'car')
  if (path === '-') {
    const upload = isCar ? uploadCar : uploadStream
    return upload(client, context.stdin, { name: 'stdin', ...options })
  }
  const { state } = context
  if (isCar) return uploadOnce(state, client, path, options, (once) => uploadCar(client, path, once))
  const isDirectory = await isFolder(path)
  const upload = (uploadOptions: UploadOptions) =>
    isDirectory ? uploadFolder(client, path, uploadOptions) : uploadFile(client, path, uploadOptions)
  if (!flag(context.values, 'resume')) return uploadOnce(state, client, path, options, upload)
  return uploadResumably(context, client, path, options, upload).catch((error: unknown) => {
    if (context.signal.aborted)
      context.output.note('Stopped. The service keeps what it received. Run the same command again to resume.')
    throw error
  })
}

async function uploadAllPlain(context: CommandContext, options: UploadOptions): Promise<void> {
  const { args, output, session, signal } = context
  const client = await session.client()
  for (const path of args) {
    const { paths, facts, onLeftOut } = gatherLeftOut()
    const settings = { ...options, onLeftOut }
    const result = await output.withProgress(path, (progress) =>
      uploadOne(client, path, { ...settings, ...progress }, context),
    )
    for (const entry of paths) output.note(`Left out ${entry}: not a file, a folder or a symbolic link`)
    const before = result.wasStored ? '  already stored' : ''
    const line = `${result.cid}  ${result.name}  ${formatBytes(result.sizeBytes)}${before}`
    if (options.private) {
      output.result({ ...result, ...facts(), private: true }, `${line}  private`, result.cid)
      output.note(`Sign a link to it: cairn gateway-link ${result.cid}`)
      await notePublicTwins(output, client, result.cid, signal)
      continue
    }
    const url = joinUrl(client.network.gateway, `/ipfs/${result.cid}`)
    output.result({ ...result, ...facts(), url }, () => [line, url], result.cid)
  }
}

/** Returns the options of encrypted uploads. */
async function readEncryption({ values, stdin }: CommandContext): Promise<Partial<EncryptedFolderOptions>> {
  const asOne = flag(values, 'as-one')
  const format = text(values, 'format') ?? (asOne ? 'v2' : 'v1')
  if (format !== 'v1' && format !== 'v2') throw new CairnError('USAGE', { message: '--format must be v1 or v2' })
  if (asOne && format === 'v1')
    throw new CairnError('USAGE', { message: 'Files of a folder with one key must use format v2' })
  const shareTo = readAddresses((text(values, 'share') ?? '').split(',').filter((address) => address !== ''))
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
  { stdin }: CommandContext,
): Promise<EncryptedUploadResult[]> {
  if (path === '-') return [await uploadEncryptedStream(client, stdin, { name: 'stdin', ...options })]
  return (await isFolder(path))
    ? uploadEncryptedFolder(client, path, options)
    : [await uploadEncrypted(client, path, options)]
}

async function uploadAllEncrypted(context: CommandContext, options: UploadOptions): Promise<void> {
  const { args, output } = context
  const client = await openKeyClient(context, { withApiKey: true })
  const { wrapWithDirectory: _wrap, skipStored: _skip, ...rest } = options
  const encryption = await readEncryption(context)
  for (const path of args) {
    const { paths, facts, onLeftOut } = gatherLeftOut()
    const settings = { ...rest, ...encryption, onLeftOut }
    const results = await output.withProgress(path, (progress) =>
      encryptOne(client, path, { ...settings, ...progress }, context),
    )
    for (const entry of paths)
      output.note(`Left out ${entry}: ${encryption.asOne ? 'not a file or a folder' : 'not a file'}`)
    for (const { keys, ...result } of results) {
      const nodes = { done: keys.done, pending: keys.pending.map(({ node, error }) => ({ node, code: error.code })) }
      output.result(
        { ...result, ...facts(), encrypted: true, keyNodes: nodes },
        () =>
          `${result.cid}  ${result.name}  ${formatBytes(result.sizeBytes)}  encrypted, key on ${keys.done.length} of 5 nodes`,
        result.cid,
      )
      if (keys.pending.length > 0)
        output.note(
          `Nodes ${keys.pending.map(({ node }) => node).join(', ')} do not have the key yet. Run: cairn keys repair ${result.cid}`,
        )
    }
  }
}

/** Uploads files into the account of another person. Needs no wallet, no API key and no set-up. */
async function uploadAllWithLink(context: CommandContext, link: string): Promise<void> {
  const { args, values, output, signal } = context
  const other = Object.keys(ownOptions).find((name) => values[name] !== undefined && !optionsWithLink.includes(name))
  if (other !== undefined) throw new CairnError('USAGE', { message: `--link and --${other} cannot be combined` })
  if (args.includes('-'))
    throw new CairnError('USAGE', {
      message: '--link supports files, not -',
      hint: 'Save standard input as a file first. A file of this name is ./-',
    })
  const [name, mimeType] = [readName(values), readType(values)]
  const chosen = { ...omitUndefined({ name, mimeType }), signal }
  for (const path of args) {
    const result = await output.withProgress(path, (progress) => uploadWithLink(link, path, { ...chosen, ...progress }))
    output.result(result, () => `${result.cid}  ${result.name}  ${formatBytes(result.sizeBytes)}`, result.cid)
  }
}

const optionsWithLink = ['link', 'name', 'mime']

const ownOptions: Options = {
  name: { type: 'string', short: 'n', about: 'name of the upload', value: 'text' },
  ...cidOptions,
  mime: { type: 'string', about: 'MIME type of the file', value: 'type' },
  announce: announceOption('announce the content to public indexers (IPNI), or not; the network decides by default'),
  private: { type: 'boolean', short: 'p', about: 'show it only to you and through signed links, see gateway-link' },
  resume: { type: 'boolean', about: 'upload in parts: the same command resumes after an interruption' },
  'skip-stored': { type: 'boolean', about: 'skip content that you already stored, under any name' },
  link: { type: 'string', about: 'upload to the account of an upload link, without a wallet', value: 'url' },
  car: { type: 'boolean', about: 'the file is a CAR: keep its root CID' },
  encrypt: { type: 'boolean', short: 'e', about: 'encrypt on this machine and split the key over five key nodes' },
  format: {
    type: 'string',
    about: 'format of encrypted files: v1, or v2 with random access (v1)',
    value: 'v1|v2',
    choices: ['v1', 'v2'],
  },
  'as-one': { type: 'boolean', about: 'encrypt a folder as one CID with one key, and hide its file names' },
  share: { type: 'string', about: 'addresses that can decrypt it, separated by commas', value: 'addresses' },
  conditions: { type: 'string', about: 'JSON file of conditions; anyone who meets them can decrypt it', value: 'file' },
}

export const upload: Command = {
  name: 'upload',
  summary: 'Upload files and folders, or standard input with -',
  usage: '<path…|->',
  arity: [1, Number.POSITIVE_INFINITY],
  options: ownOptions,
  examples: [
    'cairn upload photo.jpg',
    'cairn upload --resume film.mkv',
    'cairn upload --skip-stored site/',
    'cairn upload --private invoice.pdf',
    'cairn upload --encrypt diary.txt',
    'cairn upload --encrypt --as-one photos/',
    'cairn upload site/ --json',
    "cairn upload --link 'https://…/upload-link#…' photo.jpg",
    'tar c src | cairn upload - --name src.tar',
  ],
  async run(context) {
    const options = readOptions(context)
    const link = text(context.values, 'link')
    checkArguments(context)
    if (link !== undefined) return uploadAllWithLink(context, link)
    checkCombinations(context)
    return flag(context.values, 'encrypt') ? uploadAllEncrypted(context, options) : uploadAllPlain(context, options)
  },
}
