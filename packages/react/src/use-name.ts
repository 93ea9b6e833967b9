import {
  CairnError,
  type NameKey,
  type NameRecord,
  publishName,
  publishSigned,
  type ResolvedName,
  resolveName,
} from '@cairn/sdk'
import { useCallback } from 'react'
import { useCairnContext } from './provider.ts'
import { useAction } from './use-action.ts'
import { type Loaded, useLoaded } from './use-loaded.ts'

/** What {@link useName} returns. */
export type UseName = Omit<Loaded<never>, 'data'> & {
  /** The target, verified by the signature of the name's key. */
  resolved: ResolvedName | undefined
  /**
   * Points the name to a CID, path or name. Never rejects: returns undefined if it failed.
   * @param key signs in the browser; without it, the service signs with the key that it stores
   */
  publish: (value: string, key?: NameKey) => Promise<NameRecord | undefined>
  isPublishing: boolean
  /** Why the last publication of this name failed. */
  publishError: CairnError | undefined
}

/**
 * Resolves and publishes an IPNS name.
 * @param name in any form; undefined resolves nothing
 */
export function useName(name: string | undefined): UseName {
  const { changes } = useCairnContext()
  const { data, ...loaded } = useLoaded(name, 'names', (client, signal) => resolveName(client, name ?? '', { signal }))
  const { run, status, error } = useAction(
    async ({ client, signal }, value: string, key: NameKey | undefined) => {
      if (name === undefined) throw new CairnError('INVALID_NAME')
      const record =
        key === undefined
          ? await publishName(client, name, value, { signal })
          : await publishSigned(client, key, value, { name, signal })
      changes.notify('names')
      return record
    },
    { subject: name },
  )
  const publish = useCallback((value: string, key?: NameKey) => run(value, key), [run])
  return { ...loaded, resolved: data, publish, isPublishing: status === 'running', publishError: error }
}
