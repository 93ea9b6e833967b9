import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { formatBytes } from '@cairn/protocol'
import {
  CairnError,
  type DownloadResult,
  decryptFile,
  decryptFolder,
  downloadFile,
  isFolder,
  restoreError,
} from '@cairn/sdk'
import { type Command, flag, text } from '../command.ts'
import { readContentArgument } from '../content-path.ts'
import { type Content, findEncryptedFile, openContent, readOptions, withWayOut } from '../read-content.ts'
import type { ProgressOptions } from '../terminal/output.ts'
import { countOf } from '../text/count-of.ts'

type Options = NonNullable<Parameters<typeof decryptFolder>[3]> & { signal: AbortSignal }

/** Decrypts a file, a folder encrypted as one, or a file of such a folder. */
async function decrypt(content: Content, target: string, options: Options): Promise<DownloadResult> {
  const { client, cid, path, decryption } = content
  const settings = { ...options, ...decryption }
  if (path !== '') {
    const { cidPath, masterKey } = await findEncryptedFile(content, options.signal)
    return decryptFile(client, cidPath, target, { ...settings, masterKey })
  }
  const isOne = await isFolder(client, cid, { signal: options.signal })
  return isOne ? decryptFolder(client, cid, target, settings) : decryptFile(client, cid, target, settings)
}

/** The error of a target that exists, with the option that continues or replaces it. */
function nameForce(error: unknown): unknown {
  if (!CairnError.is(error, 'FILE_EXISTS')) return error
  return restoreError(error.code, {
    message: error.message,
    hint: 'Choose another target with -o, or use --force: it resumes an interrupted folder, keeps complete files and replaces the others.',
    cause: error,
  })
}

/** The error of a target in a folder that does not exist, which names the folder. */
function nameFolder(error: unknown, target: string): unknown {
  const parent = dirname(target)
  if (!CairnError.is(error, 'FILE_UNREADABLE') || existsSync(parent)) return error
  return restoreError(error.code, {
    message: `The folder ${parent} does not exist`,
    hint: 'Create it first, or choose another target with -o.',
    cause: error,
  })
}

/**
 * Describes how to resume a download that was stopped; undefined if nothing of it is on the disk.
 * @param isOwn whether the target belongs to this download: no other file may be suggested for replacement
 */
function describeRest(target: string, isOwn: boolean): string | undefined {
  if (existsSync(`${target}.part`))
    return `Stopped. ${target}.part contains what was received. Run the same command again to resume.`
  return isOwn && existsSync(target) ? 'Stopped. Run the same command with --force to resume.' : undefined
}

export const get: Command = {
  name: 'get',
  summary: 'Download and verify a file or folder, and decrypt it if needed',
  usage: '<cid[/path]|name[/path]>',
  arity: [1, 1],
  options: {
    output: { type: 'string', short: 'o', about: 'target path (the last name of the content path)', value: 'path' },
    force: { type: 'boolean', short: 'f', about: 'overwrite an existing target' },
    ...readOptions,
  },
  examples: ['cairn get bafy… -o photo.jpg', 'cairn get bafy…/docs/readme.md', 'cairn get site/index.html'],
  async run(context) {
    const { args, values, output, signal } = context
    const argument = readContentArgument(args[0] ?? '')
    const target = text(values, 'output') ?? basename(argument)
    if (target === '' || target === '.' || target === '..')
      throw new CairnError('USAGE', { message: 'The option -o is required' })
    if (target === '-')
      throw new CairnError('USAGE', {
        message: 'get writes files and folders, not standard output',
        hint: 'Use cairn cat, or -o ./- for a file of this name.',
      })
    const content = await openContent(context, argument)
    const overwrite = flag(values, 'force')
    const isOwn = overwrite || !existsSync(target)
    const download = async (progress: ProgressOptions) => {
      const options = { overwrite, signal, ...progress }
      if (content.decryption === undefined) return downloadFile(content.client, content.cidPath, target, options)
      return decrypt(content, target, options).catch((error: unknown) => {
        throw withWayOut(error)
      })
    }
    const result = await output
      .withProgress(target, download)
      .catch((error: unknown) => {
        throw nameFolder(overwrite ? error : nameForce(error), target)
      })
      .finally(() => {
        const rest = signal.aborted ? describeRest(target, isOwn) : undefined
        if (rest !== undefined) output.note(rest)
      })
    for (const { path, target: to } of result.leftOut ?? []) {
      output.note(`Left out ${path}: a symbolic link to ${to}, outside the folder`)
    }
    output.result(
      result,
      `${target}  ${formatBytes(result.sizeBytes)}${result.files === 1 ? '' : `  ${countOf(result.files, 'file')}`}`,
      target,
    )
  },
}
