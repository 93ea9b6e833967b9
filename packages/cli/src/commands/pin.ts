import { pinCid } from '@cairn/sdk'
import { type Command, text } from '../command.ts'
import { formatBytes } from '../sizes.ts'

export const pin: Command = {
  name: 'pin',
  summary: 'Pin a CID that is stored elsewhere',
  usage: '<cid>',
  arity: [1, 1],
  options: { name: { type: 'string', short: 'n', about: 'name of the upload', value: 'text' } },
  examples: ['cairn pin bafy… --name website'],
  async run({ args, values, session, output, signal }) {
    const pinned = await pinCid(await session.client(), args[0] ?? '', text(values, 'name'), { signal })
    output.result(
      pinned,
      `${pinned.cid}  ${pinned.fileName}  ${formatBytes(Number(pinned.fileSizeInBytes))}`,
      pinned.cid,
    )
  },
}
