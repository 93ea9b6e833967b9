import type { DriveContact } from '@cairn/sdk'
import { useMemo } from 'react'
import { type EnsAnswer, useEnsAddresses } from '../ens/use-ens.ts'
import { readAddresses } from './read-addresses.ts'

/** Reads addresses, labels of contacts and ENS names from typed text. */
export function useAddresses(
  text: string,
  contacts: readonly DriveContact[],
): { addresses: string[]; bad: string[]; ens: readonly EnsAnswer[] } {
  const plain = useMemo(() => readAddresses(text, contacts), [text, contacts])
  const ens = useEnsAddresses(plain.bad)
  return useMemo(() => {
    const found = ens.flatMap(({ name, address }) =>
      address === undefined || address === null ? [] : [{ label: name, address }],
    )
    return { ...(found.length === 0 ? plain : readAddresses(text, [...contacts, ...found])), ens }
  }, [plain, ens, text, contacts])
}
