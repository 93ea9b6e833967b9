import { useSyncExternalStore } from 'react'

/** Opens the dialog that moves a file of the drive; undefined for a file that is not in it. */
export type FileMover = (cid: string) => (() => void) | undefined

let mover: FileMover | undefined
const listeners = new Set<() => void>()

/** Set by the list that an open file is shown over. */
export function setFileMover(next: FileMover | undefined): void {
  mover = next
  for (const listener of listeners) listener()
}

/** Returns what moves the files of the list; undefined while it has no folders. */
export function useFileMover(): FileMover | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => mover,
  )
}
