import { recordAction } from '@cairn/service/admin'
import { findNode } from '../db/node-row.ts'
import { findConsent, writeConsent } from '../spares/consent.ts'
import { countSpares } from '../spares/list.ts'
import { type Command, type CommandContext, unusedDatabase, withDatabase } from './command.ts'

/** Commands that replace the shards of all keys without their owners. */
export const shardCommands: Readonly<Record<string, Command>> = {
  'shards replace': {
    args: [],
    about: 'replaces the shards of all keys together with the other nodes, such as after one was lost or taken over',
    run: (input) =>
      withDatabase(input, async (context) => {
        const { isDryRun, report } = input
        await requireNode(context)
        const until = context.clock.now()
        const counted = await countSpares(context.db.read, until)
        if (!isDryRun) await consent(context, until)
        const { waiting, received, inForce, without } = counted
        report(
          { kind: 'summary', ...counted, isDryRun },
          `Keys that take part: ${waiting + received + inForce}; without a spare set: ${without}. Run the command on all five nodes; 'shards status' shows the progress.`,
        )
        return true
      }),
  },
  'shards stop': {
    args: [],
    about: 'ends the part of this node in a replacement; shards in force stay',
    run: (input) =>
      withDatabase(input, async (context) => {
        const { isDryRun, report } = input
        await requireNode(context)
        if (!isDryRun) await consent(context, null)
        report({ kind: 'summary', isDryRun }, 'This node gives no more parts to others.')
        return true
      }),
  },
  'shards status': {
    args: [],
    about: 'shows how far a replacement of shards is on this node',
    run: (input) =>
      withDatabase(input, async ({ db, clock }) => {
        const until = await findConsent(db.read)
        const counted = await countSpares(db.read, until ?? clock.now())
        const since = until === undefined ? 'not under way' : `of keys saved before ${new Date(until).toISOString()}`
        const { waiting, received, inForce, without } = counted
        input.report(
          { kind: 'summary', until: until ?? null, ...counted },
          [
            `Replacement: ${since}`,
            `Keys that wait for parts of other nodes: ${waiting}`,
            `Keys with a new shard that wait for those of the other nodes: ${received}`,
            `Keys with a new shard in force, the old one not destroyed yet: ${inForce}`,
            `Keys without a spare set, replaced already or left to their owners: ${without}`,
          ].join('\n'),
        )
        return true
      }),
  },
}

async function consent({ db, clock }: CommandContext, until: number | null): Promise<void> {
  await db.write(async (trx) => {
    await writeConsent(trx, until)
    const action = until === null ? 'shards stop' : 'shards replace'
    await recordAction(trx, { action, subject: 'all keys', after: { until } }, clock.now())
  })
}

async function requireNode({ db }: CommandContext): Promise<void> {
  if ((await findNode(db)) === undefined) throw unusedDatabase()
}
