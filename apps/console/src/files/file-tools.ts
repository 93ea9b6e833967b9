import { createStore, useStore } from '../state/store.ts'
import type { MenuItem } from '../ui/Menu.tsx'

/** The actions that the list behind an open file provides. */
export type FileTools = {
  /** Opens the dialog that moves a file of the list; undefined for a file that is not in it. */
  moverOf: (cid: string) => (() => void) | undefined
  /** Returns the actions of a file of the list, as its row offers them; undefined for a file that is not in it. */
  menuOf: (cid: string) => readonly MenuItem[] | undefined
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
