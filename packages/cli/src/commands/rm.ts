import { CairnError, deleteFile, isAnyCid } from '@cairn/sdk'
import { type Command, flag } from '../command.ts'
import { countOf } from '../text/count-of.ts'

export const rm: Command = {
  name: 'rm',
  summary: 'Delete uploads by id or CID',
  usage: '<id|cid…>',
  arity: [1, Number.POSITIVE_INFINITY],
  options: { yes: { type: 'boolean', short: 'y', about: 'skip the confirmation' } },
  examples: ['cairn rm bafy… --yes'],
  async run({ args, values, session, output, prompt, signal }) {
    if (
      !flag(values, 'yes') &&
      !(await prompt.confirm(`Delete ${args.length === 1 ? args[0] : countOf(args.length, 'upload')}?`))
    ) {
      output.note('Nothing was deleted.')
      throw new CairnError('ABORTED')
    }
    const client = await session.client()
    for (const which of args) {
      await deleteFile(client, isAnyCid(which) ? { cid: which } : { id: which }, { signal })
      output.result({ deleted: which }, `Deleted ${which}`, which)
    }
  },
}
