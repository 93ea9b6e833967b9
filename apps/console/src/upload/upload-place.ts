import { createStore, useStore } from '../state/store.ts'

/** The folder of the drive that the page shows: uploads go there. */
export type UploadPlace = { id: string; path: string }

/** A stored upload, and the folder that the user chose for it. `folderId` is empty for the root. */
export type Placement = {
  cid: string
  name: string
  folderId: string
  /** Address of the account that uploaded it. */
  account: string
  /** Called once it is in its folder, or cannot be put there: later page loads do not try again. */
  onEnd: () => void
}

/** Returns whether an upload has to be moved to a folder of the drive: new uploads appear in the root by themselves. */
export function belongsInFolder({ name, folderId }: { name: string; folderId: string | undefined }): boolean {
  return folderId !== undefined && (folderId !== '' || name.includes('/'))
}

const place = createStore<UploadPlace | undefined>(undefined)

/** Sets the folder that the page shows; undefined for the root. */
export function setUploadPlace(next: UploadPlace | undefined): void {
  const before = place.get()
  if (before?.id !== next?.id || before?.path !== next?.path) place.set(next)
}

/** Returns the folder that uploads go to; undefined for the root. */
export function useUploadPlace(): UploadPlace | undefined {
  return useStore(place)
}

let placeInDrive: ((placement: Placement) => void) | undefined
/** Uploads that are stored before this page has opened the drive. */
let waiting: Placement[] = []

/** Sets what puts uploads into folders, once the page has opened a drive. */
export function setPlacer(placer: (placement: Placement) => void): void {
  placeInDrive = placer
  for (const placement of waiting) placer(placement)
  waiting = []
}

/** Puts a stored upload into its folder, as soon as a drive is open. */
export function placeUpload(placement: Placement): void {
  if (placeInDrive === undefined) waiting.push(placement)
  else placeInDrive(placement)
}
