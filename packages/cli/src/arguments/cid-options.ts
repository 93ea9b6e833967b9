import { stat } from 'node:fs/promises'
import { CairnError, type UploadOptions } from '@cairn/sdk'
import { flag, type Options, text, type Values } from '../command.ts'

/** The options that determine the CID of content. */
export const cidOptions: Options = {
  'cid-version': { type: 'string', about: '0 or 1 (1)', value: 'n', choices: ['0', '1'] },
  profile: {
    type: 'string',
    about: 'import profile: unixfs-v1-2025 uses chunks of 1 MiB',
    value: 'name',
    choices: ['unixfs-v1-2025'],
  },
  wrap: { type: 'boolean', short: 'w', about: 'wrap a single file in a folder' },
  'no-hidden': { type: 'boolean', about: 'leave out files and folders whose names begin with a dot, such as .git' },
}

type CidChoices = Required<Pick<UploadOptions, 'cidVersion' | 'wrapWithDirectory' | 'hidden'>> & {
  profile: UploadOptions['profile']
}

/** Reads them. @throws CairnError USAGE */
export function readCidOptions(values: Values): CidChoices {
  const version = text(values, 'cid-version') ?? '1'
  if (version !== '0' && version !== '1') throw new CairnError('USAGE', { message: '--cid-version must be 0 or 1' })
  const profile = text(values, 'profile')
  if (profile !== undefined && profile !== 'unixfs-v1-2025')
    throw new CairnError('USAGE', { message: `Unknown profile ${profile}`, hint: 'Use unixfs-v1-2025.' })
  return {
    cidVersion: version === '0' ? 0 : 1,
    wrapWithDirectory: flag(values, 'wrap'),
    hidden: !flag(values, 'no-hidden'),
    profile,
  }
}

/** Whether a path is a folder. One that cannot be read is reported by its use. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}
