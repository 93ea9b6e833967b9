import { formatBytes } from '@cairn/protocol'
import { CairnError, type Client, isEncrypted, pinCid } from '@cairn/sdk'
import { type Command, text } from '../command.ts'

export const pin: Command = {
  name: 'pin',
  summary: 'Pin a CID that is stored elsewhere',
  usage: '<cid>',
  arity: [1, 1],
  options: { name: { type: 'string', short: 'n', about: 'name of the upload', value: 'text' } },
  examples: ['cairn pin bafy… --name website'],
  async run({ args, values, session, output, signal }) {
    const client = await session.client()
    const [cid = ''] = args
    const mark = await findMark(client, cid, signal)
    if (mark === undefined)
      output.note(
        'Cannot determine whether the content is encrypted, because fewer than three key nodes are available.',
      )
    const pinned = await pinCid(client, cid, text(values, 'name'), { isEncrypted: mark, signal })
    output.result(
      pinned,
      `${pinned.cid}  ${pinned.fileName}  ${formatBytes(Number(pinned.fileSizeInBytes))}`,
      pinned.cid,
    )
  },
}

/** Whether later reads of the pin decrypt it, as reads before it do; undefined while key nodes are unavailable. */
async function findMark(client: Client, cid: string, signal: AbortSignal): Promise<boolean | undefined> {
  try {
    return await isEncrypted(client, cid, { signal })
  } catch (error) {
    if (CairnError.is(error, 'KEY_NODES_UNAVAILABLE')) return undefined
    throw error
  }
}
