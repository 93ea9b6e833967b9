import { CairnError, isAnyCid, renameFile } from '@cairn/sdk'
import type { Command } from '../command.ts'

export const rename: Command = {
  name: 'rename',
  aliases: ['mv'],
  summary: 'Rename an upload',
  usage: '<id> <name>',
  arity: [2, 2],
  examples: ['cairn rename 01a1fb48-8ce7-7000-9a0a-6ad385a93770 photo.jpg'],
  async run({ args: [id = '', name = ''], session, output, signal }) {
    if (isAnyCid(id)) {
      throw new CairnError('USAGE', {
        message: 'rename takes the id of an upload, not its CID',
        hint: 'Run `cairn ls --long` to list the ids.',
      })
    }
    const row = await renameFile(await session.client(), id, name, { signal })
    output.result(row, `${row.cid}  ${row.fileName}`, row.fileName)
  },
}
