import { CairnError, type ChangeResult, getConditions, revokeAccess, shareFile } from '@cairn/sdk'
import { useCallback } from 'react'
import { useCairnContext } from './provider.ts'
import { useAction } from './use-action.ts'
import { type Loaded, useLoaded } from './use-loaded.ts'

/** What {@link useShare} returns. */
export type UseShare = Omit<Loaded<never>, 'data'> & {
  owner: string | undefined
  /** Addresses that can decrypt the file; empty for everyone but the owner and recipients. */
  sharedTo: readonly string[]
  /** Shares the file. Never rejects: returns undefined if it failed. */
  share: (addresses: readonly string[]) => Promise<ChangeResult | undefined>
  /** Revokes the access of addresses, which may have kept the key: see `rotateFile`. */
  revoke: (addresses: readonly string[]) => Promise<ChangeResult | undefined>
  isChanging: boolean
  /** Why the last change of this file failed. */
  changeError: CairnError | undefined
}

/**
 * Shows and changes who can decrypt a file. Changes run one after another.
 * @param cid of an encrypted file; undefined loads nothing
 */
export function useShare(cid: string | undefined): UseShare {
  const { changes } = useCairnContext()
  const { data, ...loaded } = useLoaded(cid, 'access', (client, signal) => getConditions(client, cid ?? '', { signal }))
  const { run, status, error } = useAction(
    async ({ client, signal }, change: typeof shareFile, addresses: readonly string[]) => {
      if (cid === undefined) throw new CairnError('INVALID_CID')
      const result = await change(client, cid, addresses, { signal })
      changes.notify('access')
      return result
    },
    { subject: cid },
  )
  const share = useCallback((addresses: readonly string[]) => run(shareFile, addresses), [run])
  const revoke = useCallback((addresses: readonly string[]) => run(revokeAccess, addresses), [run])
  return {
    ...loaded,
    owner: data?.owner,
    sharedTo: data?.sharedTo ?? [],
    share,
    revoke,
    isChanging: status === 'running',
    changeError: error,
  }
}
