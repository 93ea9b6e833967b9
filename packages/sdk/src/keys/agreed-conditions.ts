import type { Client } from '../client.ts'
import { getAgreedConditions } from './access.ts'
import type { ConditionsInput } from './check-conditions.ts'

/** Returns the conditions that three nodes agree on, in the form that sets them again; undefined if there are none. */
export async function findConditions(
  client: Client,
  cid: string,
  { signal }: { signal?: AbortSignal | undefined },
): Promise<ConditionsInput | undefined> {
  const rights = await getAgreedConditions(client, cid, signal === undefined ? {} : { signal })
  const conditions = [...rights.conditions, ...rights.conditionsSolana, ...rights.conditionsCoreum]
  if (conditions.length === 0) return undefined
  const chainType =
    rights.conditionsSolana.length > 0 ? 'SOLANA' : rights.conditionsCoreum.length > 0 ? 'COREUM' : 'EVM'
  return { conditions, aggregator: rights.aggregator ?? undefined, chainType }
}
