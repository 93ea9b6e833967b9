import { stat } from 'node:fs/promises'
import { formatBytes, joinUrl } from '@cairn/protocol'
import {
  CairnError,
  type EncryptedUploadResult,
  type UploadResult,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadEncryptedText,
  uploadFile,
  uploadFolder,
  uploadText,
} from '@cairn/sdk'
import * as v from 'valibot'
import { readAddresses } from '../arguments/read-addresses.ts'
import { clean } from '../terminal/output.ts'
import { gatherLeftOut, type LeftOut } from '../uploads/left-out.ts'
import * as inputs from './inputs.ts'
import { defineTool, type Tool, type ToolContext, type ToolResult } from './tool.ts'

/** Maximum characters of a text in one call. */
const maxTextCharacters = 1024 * 1024

const encryption = { encrypt: inputs.isEncrypted, shareTo: inputs.shareTo }

type EncryptionInput = { encrypt?: boolean | undefined; shareTo?: string[] | undefined }

/**
 * Returns whether an upload is encrypted: by default if the network has key nodes.
 * @throws CairnError INVALID_REQUEST for recipients of a public upload, and as {@link readAddresses}
 */
async function decideEncryption({ encrypt, shareTo }: EncryptionInput, { command }: ToolContext): Promise<boolean> {
  const { keyNodes } = await command.session.network()
  const isEncrypted = encrypt ?? keyNodes !== undefined
  if (!isEncrypted && shareTo !== undefined)
    throw new CairnError('INVALID_REQUEST', {
      message: 'shareTo requires an encrypted upload',
      hint: 'Set encrypt to true, or omit shareTo: anyone can read a public upload.',
    })
  readAddresses(shareTo ?? [])
  return isEncrypted
}

/** A wallet is missing only for the key nodes: the upload itself would not need it. */
async function withChoice<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!CairnError.is(error, 'NO_WALLET')) throw error
    throw new CairnError('NO_WALLET', {
      hint: `${error.hint} To publish the content for everyone instead, set encrypt to false.`,
      cause: error,
    })
  }
}

async function describe(
  result: UploadResult | EncryptedUploadResult,
  { command }: ToolContext,
  leftOut: LeftOut = gatherLeftOut(),
): Promise<ToolResult> {
  const { cid, name, sizeBytes } = result
  const { gateway } = await command.session.network()
  const facts = { cid, name, sizeBytes, ...leftOut.facts() }
  const line = `${cid}  ${clean(name)}  ${formatBytes(sizeBytes)}`
  const others = leftOut.paths.size === 0 ? '' : `\nLeft out: ${[...leftOut.paths].map(clean).join(', ')}`
  if (!('keys' in result)) {
    const url = joinUrl(gateway, `/ipfs/${cid}`)
    return { data: { ...facts, isEncrypted: false, url }, text: `Uploaded publicly: ${line}\n${url}${others}` }
  }
  const { done, pending } = result.keys
  const missing = pending.map(({ node }) => node)
  const rest =
    missing.length === 0 ? '' : `\nNodes ${missing.join(', ')} do not have the key yet. Run: cairn keys repair ${cid}`
  return {
    data: { ...facts, isEncrypted: true, keyNodes: { done, pending: missing } },
    text: `Uploaded encrypted: ${line}, key on ${done.length} of 5 nodes.${rest}${others}`,
  }
}

const uploadPath = defineTool({
  name: 'upload_file',
  title: 'Upload a file or folder',
  description:
    'Uploads a file or folder from this machine and returns its CID. Symbolic links in a folder stay links, and are never followed; an encrypted folder leaves them out, and has one CID and one key. Nothing stored can be changed: the same content has the same CID.',
  effect: 'adds',
  isIdempotent: false,
  input: v.strictObject({
    path: inputs.localPath('Path of the file or folder'),
    name: inputs.uploadName,
    ...encryption,
  }),
  async run({ path, name, ...choice }, context) {
    const { clients, roots, signal, onProgress } = context
    const source = await roots.resolveExisting(path)
    const isFolder = (await stat(source)).isDirectory()
    const leftOut = gatherLeftOut()
    const options = { signal, onProgress, onLeftOut: leftOut.onLeftOut, ...(name === undefined ? {} : { name }) }
    if (!(await decideEncryption(choice, context))) {
      const client = await clients.account()
      return describe(await (isFolder ? uploadFolder : uploadFile)(client, source, options), context, leftOut)
    }
    const client = await withChoice(() => clients.accountAndKeys(signal))
    const { shareTo = [] } = choice
    if (!isFolder) return describe(await uploadEncrypted(client, source, { ...options, shareTo }), context)
    const [result] = await uploadEncryptedFolder(client, source, {
      ...options,
      shareTo,
      asOne: true,
      format: 'v2',
    })
    if (result === undefined) throw new CairnError('UNEXPECTED_RESPONSE')
    return describe(result, context, leftOut)
  },
})

const uploadOneText = defineTool({
  name: 'upload_text',
  title: 'Upload a text',
  description: 'Uploads text as a UTF-8 file and returns its CID.',
  effect: 'adds',
  isIdempotent: false,
  input: v.strictObject({
    text: v.pipe(v.string(), v.maxLength(maxTextCharacters), v.description('Content of the file.')),
    name: inputs.fileName('Name of the file, such as notes.md.'),
    ...encryption,
  }),
  async run({ text, name, ...choice }, context) {
    const { clients, signal, onProgress } = context
    const options = { name, signal, onProgress }
    if (!(await decideEncryption(choice, context)))
      return describe(await uploadText(await clients.account(), text, options), context)
    const client = await withChoice(() => clients.accountAndKeys(signal))
    return describe(await uploadEncryptedText(client, text, { ...options, shareTo: choice.shareTo ?? [] }), context)
  },
})

/** Tools that store content. */
export const uploadTools: readonly Tool[] = [uploadPath, uploadOneText]
