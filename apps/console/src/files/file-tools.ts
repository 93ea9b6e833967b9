import { createStore, useStore } from '../state/store.ts'

/** The actions that the list behind an open file provides. */
export type FileTools = {
  /** Opens the dialog that moves a file of the list; undefined for a file that is not in it. */
  moverOf: (cid: string) => (() => void) | undefined
  /** Makes an earlier version of a file of the drive the current one. */
  applyVersion: (id: string, cid: string) => Promise<void>
}

const tools = createStore<FileTools | undefined>(undefined)

export function setFileTools(next: FileTools | undefined): void {
  tools.set(next)
}

/** Returns the actions of the list on its files; undefined while it has no folders. */
export function useFileTools(): FileTools | undefined {
  return useStore(tools)
}
