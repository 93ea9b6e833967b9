import { forEachOf } from '@cairn/protocol'
import { CairnError, type Client, findConditions, getKey, listKeyFiles } from '@cairn/sdk'
import { collect } from './collect.ts'
import { type Export, maxParallel } from './export-context.ts'
import type { ExportedContent } from './export-files.ts'
import type { KeyRow } from './format.ts'
import type { ListWriter } from './list-file.ts'

/** Writes the sealed keys of the account's files, and their rights. */
export async function exportRights(
  context: Export,
  rights: ListWriter,
  keys: ListWriter,
  { listed, stored }: ExportedContent,
): Promise<void> {
  const { client, seal, sealed, signal, onStep } = context
  if (seal === undefined || client.keySession === undefined) return
  onStep('File keys and rights')
  const { address } = client.keySession
  /** CIDs of the keys that are written, and of those that are retired. */
  const done = new Set<string>()
  await forEachOf(listKeyFiles(client, 'owner', { signal }), maxParallel, async (file) => {
    const { cid, owner, sharedTo, hasConditions, state } = file
    if (state === 'retired') {
      done.add(cid)
      return
    }
    await collect(context, 'file key', cid, async () => {
      const fetchKey = async (): Promise<KeyRow | undefined> => {
        const masterKey = await findOwnKey(client, cid, state === 'provisional' && !listed.has(cid), signal)
        return masterKey === undefined ? undefined : { kind: 'file key', cid, sealed: seal.close(masterKey, cid) }
      }
      const row = sealed.get(cid) ?? (await fetchKey())
      if (row === undefined) return
      const conditions = hasConditions ? await findConditions(client, cid, { signal }) : undefined
      await keys.add(row)
      done.add(cid)
      await rights.add({
        cid,
        owner,
        sharedTo,
        conditions:
          conditions === undefined
            ? null
            : {
                conditions: [...conditions.conditions],
                ...(conditions.aggregator === undefined ? {} : { aggregator: conditions.aggregator }),
                ...(conditions.chainType === undefined ? {} : { chainType: conditions.chainType }),
              },
      })
    })
  })
  // Three nodes no longer list these, or their rights are not known: an import shares them with no one.
  for (const row of sealed.values()) {
    if (row.kind !== 'file key' || done.has(row.cid)) continue
    await keys.add(row)
    if (stored.has(row.cid)) await rights.add({ cid: row.cid, owner: address, sharedTo: [], conditions: null })
  }
}

/**
 * Returns the key of a file from the key nodes.
 * @param mayLack whether it may be a key that never was in force: returns undefined if three nodes state that the account has none
 */
async function findOwnKey(
  client: Client,
  cid: string,
  mayLack: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await getKey(client, cid, { signal })).masterKey
  } catch (error) {
    // Keys are saved before their upload ends: an upload that failed leaves a key on one or two nodes for a day.
    const isAbsent = CairnError.is(error, 'KEY_NOT_FOUND') || CairnError.is(error, 'ACCESS_DENIED')
    if (mayLack && isAbsent) return undefined
    throw error
  }
}
