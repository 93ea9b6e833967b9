import { createReadStream } from 'node:fs'
import { CairnError, exportEvents, verifyEventLog } from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { type CommandContext, text } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { writePrivateFile } from '../state/write-private-file.ts'
import { countOf } from '../text/count-of.ts'

async function write(context: CommandContext): Promise<void> {
  const { args, session, signal } = context
  const path = requireFile(args, 'export')
  const client = await session.client()
  await writePrivateFile(path, exportEvents(client, { signal }))
  await report(path, client.network.eventSigner, context)
}

async function verify(context: CommandContext): Promise<void> {
  const { args, values, session } = context
  const path = requireFile(args, 'verify')
  const signer = text(values, 'signer') ?? (await session.network()).eventSigner
  await report(path, signer, context)
}

async function report(path: string, signer: string | undefined, { output, signal }: CommandContext): Promise<void> {
  const log = await verifyEventLog(createReadStream(path, { signal }), { signer })
  output.result({ file: path, ...log }, [
    `${path}  ${countOf(log.count, 'event')} of ${log.address}, ${log.firstCursor ?? '–'} to ${log.lastCursor}`,
    `signed by ${log.signer} on ${log.createdAt}`,
  ])
}

function requireFile(args: readonly string[], action: string): string {
  const [, path] = args
  if (path !== undefined) return path
  throw new CairnError('USAGE', {
    message: `events ${action} requires a file`,
    hint: `Run cairn events ${action} <file>.`,
  })
}

const actions: Actions = { export: write, verify }

export const events = actionCommand(actions, {
  name: 'events',
  summary: 'Export the event log of the account, signed by the service, and verify it',
  usage: '<file>',
  arity: [1, 2],
  options: {
    signer: {
      type: 'string',
      actions: ['verify'],
      about: 'public key that verify expects (that of the network)',
      value: 'did:key',
    },
  },
  // The signature is that of the log.
  exitCodes: { INVALID_SIGNATURE: exitCodes.verification },
  examples: ['cairn events export events.jsonl', 'cairn events verify events.jsonl'],
})
