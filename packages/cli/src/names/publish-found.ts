import { type NameRecord, type PublishOptions, publishName, publishSigned } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'
import type { FoundName } from './find-name.ts'
import { clientOf } from './name-arguments.ts'
import { openKept } from './name-keys.ts'

/**
 * Points one of the user's names to a value: with its key if that is on this machine, else with the key that the
 * service holds.
 * @throws CairnError as publishSigned and publishName
 */
export async function publishFound(
  context: CommandContext,
  found: FoundName,
  value: string,
  options: PublishOptions,
): Promise<NameRecord> {
  if (found.place === 'account') return publishName(await context.session.client(), found.name, value, options)
  const { kept } = found
  const client = await clientOf(context)
  const label = client.apiKey === undefined || kept.label === null ? {} : { label: kept.label }
  return publishSigned(client, await openKept(kept, context.prompt), value, { ...options, ...label })
}
