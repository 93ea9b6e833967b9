import { CairnError, deleteFile, getFileInfo, isCid, pinCid, renameFile } from '@cairn/sdk'
import { type Command, flag, text } from '../command.ts'
import { formatBytes } from '../sizes.ts'

export const info: Command = {
  name: 'info',
  summary: 'What is known of a CID',
  usage: '<cid>',
  arity: [1, 1],
  examples: ['cairn info bafy…'],
  async run({ args, session, output, signal }) {
    const found = await getFileInfo(await session.anonymous(), args[0] ?? '', { signal })
    const lines = [
      ['CID', found.cid],
      ['Name', found.fileName],
      ['Size', `${formatBytes(Number(found.fileSizeInBytes))} (${found.fileSizeInBytes} bytes)`],
      ['Type', found.mimeType ?? '–'],
      ['Encrypted', found.encryption ? 'yes' : 'no'],
    ]
    output.result(found, () => lines.map(([label = '', value]) => `${label.padEnd(10)} ${value}`).join('\n'))
  },
}

export const rm: Command = {
  name: 'rm',
  summary: 'Delete uploads by id or CID',
  usage: '<id|cid…>',
  arity: [1, Number.POSITIVE_INFINITY],
  options: { yes: { type: 'boolean', short: 'y', about: 'do not ask' } },
  examples: ['cairn rm bafy… --yes'],
  async run({ args, values, session, output, prompt, signal }) {
    if (
      !flag(values, 'yes') &&
      !(await prompt.confirm(`Delete ${args.length === 1 ? args[0] : `${args.length} uploads`}?`))
    ) {
      throw new CairnError('ABORTED', { message: 'Nothing was deleted' })
    }
    const client = await session.client()
    for (const which of args) {
      await deleteFile(client, isCid(which) ? { cid: which } : { id: which }, { signal })
      output.result({ deleted: which }, `Deleted ${which}`)
    }
  },
}

export const rename: Command = {
  name: 'rename',
  summary: 'Give an upload another name',
  usage: '<id> <name>',
  arity: [2, 2],
  examples: ['cairn rename 01a1fb48-8ce7-7000-9a0a-6ad385a93770 photo.jpg'],
  async run({ args: [id = '', name = ''], session, output, signal }) {
    const row = await renameFile(await session.client(), id, name, { signal })
    output.result(row, `${row.cid}  ${row.fileName}`)
  },
}

export const pin: Command = {
  name: 'pin',
  summary: 'Keep a CID that is stored elsewhere',
  usage: '<cid>',
  arity: [1, 1],
  options: { name: { type: 'string', short: 'n', about: 'name in listings', value: 'text' } },
  examples: ['cairn pin bafy… --name website'],
  async run({ args, values, session, output, signal }) {
    const pinned = await pinCid(await session.client(), args[0] ?? '', text(values, 'name'), { signal })
    output.result(pinned, `${pinned.cid}  ${pinned.fileName}  ${formatBytes(Number(pinned.fileSizeInBytes))}`)
  },
}
