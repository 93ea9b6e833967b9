import type { DriveContact } from '@cairn/sdk'
import { useMemo } from 'react'
import { noteShared, useShared } from '../drive-index/shared-before-drive.ts'
import { useDriveEdit, useDriveQuery, useDriveVersion, useHasDrive } from '../drive-index/use-drive.ts'

const none: readonly DriveContact[] = []

/** The address book of the account, in the encrypted index of its drive. It is empty until the drive is open. */
export function useContacts() {
  const canKeep = useHasDrive()
  const { data: shown, error, refetch } = useDriveQuery()
  const version = useDriveVersion(shown)
  const edit = useDriveEdit(shown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive is read again when its version changes.
  const kept = useMemo(() => shown?.drive.contacts() ?? none, [shown, version])
  const shared = useShared(shown?.account)
  const contacts = useMemo(() => [...toContacts(shared, kept), ...kept], [shared, kept])
  const labels = useMemo(
    () => new Map(contacts.flatMap(({ address, label }) => (label === '' ? [] : [[address, label] as const]))),
    [contacts],
  )
  return {
    contacts,
    /** State of the drive: the error that prevents opening it, if any. */
    query: { data: shown?.drive, error, refetch },
    /** Whether this network can keep contacts. */
    canKeep,
    labelOf: (address: string): string | undefined => labels.get(address),
    save: (address: string, label: string) => edit((editor) => editor.setContact(address, label)),
    remove: (address: string) => edit((editor) => editor.removeContact(address)),
    /** Notes the addresses that a file was shared with. A failure is not reported: only the order of suggestions depends on it. */
    markUsed: (addresses: readonly string[]) => {
      if (shown === undefined) return
      if (shown.drive.known === undefined) {
        noteShared(shown.account, addresses)
        return
      }
      edit((editor) => editor.markContactsUsed(addresses)).catch(() => undefined)
    },
  }
}

/** Contacts of addresses that are not in the address book yet, last used first. */
function toContacts(shared: ReadonlyMap<string, number>, kept: readonly DriveContact[]): DriveContact[] {
  return [...shared]
    .filter(([address]) => kept.every((one) => one.address !== address))
    .map(([address, usedAt]) => ({ address, label: '', usedAt }))
    .reverse()
}
