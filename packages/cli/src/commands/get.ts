import { basename } from 'node:path'
import { CairnError, downloadFile } from '@cairn/sdk'
import { type Command, flag, text } from '../command.ts'
import { formatBytes } from '../sizes.ts'

export const get: Command = {
  name: 'get',
  summary: 'Download a file or folder, verified',
  usage: '<cid[/path]>',
  arity: [1, 1],
  options: {
    output: { type: 'string', short: 'o', about: 'where to (the last name of the path)', value: 'path' },
    force: { type: 'boolean', short: 'f', about: 'replace what is there' },
  },
  examples: ['cairn get bafy… -o photo.jpg', 'cairn get bafy…/docs/readme.md'],
  async run({ args, values, output, session, signal }) {
    const cidPath = args[0] ?? ''
    const target = text(values, 'output') ?? basename(cidPath)
    if (target === '' || target === '.' || target === '..')
      throw new CairnError('USAGE', { message: 'Where to? Give -o' })
    const client = await session.anonymous()
    const progress = output.progress(target)
    const options = {
      overwrite: flag(values, 'force'),
      signal,
      ...(progress === undefined ? {} : { onProgress: progress.onProgress }),
    }
    const result = await downloadFile(client, cidPath, target, options).finally(() => progress?.done())
    output.result(
      result,
      `${target}  ${formatBytes(result.sizeBytes)}${result.files === 1 ? '' : `  ${result.files} files`}`,
    )
  },
}
