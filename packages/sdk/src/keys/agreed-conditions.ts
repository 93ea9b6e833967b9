import { listedConditions } from '@cairn/protocol'
import type { Client } from '../client.ts'
import type { ConditionsInput } from './check-conditions.ts'
import { getConditions } from './get-conditions.ts'

/** Returns the conditions that three nodes agree on, in the form that sets them again; undefined if there are none. */
export async function findConditions(
  client: Client,
  cid: string,
  { signal }: { signal?: AbortSignal | undefined },
): Promise<ConditionsInput | undefined> {
  const rights = await getConditions(client, cid, signal === undefined ? {} : { signal })
  const { chainType, conditions } = listedConditions(rights)
  if (conditions.length === 0) return undefined
  return { conditions: [...conditions], aggregator: rights.aggregator ?? undefined, chainType }
}
