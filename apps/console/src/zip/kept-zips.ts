import { ignoreBlocked } from '../browser/ignore-blocked.ts'
import { openTarget, type Target } from '../cipher/open-target.ts'

/**
 * ZIPs in the browser's storage, for browsers without a file picker. Each has its own name, because the browser may still copy
 * one to its downloads while the next is written.
 */
const start = 'cairn-download'

/** Time that a browser has to copy a ZIP, in ms. */
export const copyMs = 10 * 60_000

/** A ZIP that the browser keeps until it is saved. */
export type KeptZip = { target: Target; read: () => Promise<Blob>; remove: () => Promise<void> }

/**
 * Opens an empty ZIP for writing: a file in the browser's storage or, without storage, as in a private window of Firefox, in
 * memory.
 * @throws CairnError as `openTarget` does
 */
export async function openKept(): Promise<KeptZip> {
  const handle = await createKept().catch(ignoreBlocked)
  if (handle === undefined) return openInMemory()
  return { target: await openTarget(handle), read: () => handle.getFile(), remove: () => removeKept(handle) }
}

function openInMemory(): KeptZip {
  const pieces: Blob[] = []
  const remove = async () => void pieces.splice(0)
  const write = async (bytes: Uint8Array) => void pieces.push(new Blob([new Uint8Array(bytes)]))
  return { target: { write, close: async () => undefined, abort: remove }, read: async () => new Blob(pieces), remove }
}

/** Creates an empty file for a ZIP, and removes those saved long ago. */
async function createKept(): Promise<FileSystemFileHandle> {
  const folder = await navigator.storage.getDirectory()
  await removeFrom(folder, copyMs)
  return folder.getFileHandle(`${start}-${crypto.randomUUID()}.zip`, { create: true })
}

/** Removes a ZIP that was not completed. */
async function removeKept({ name }: FileSystemFileHandle): Promise<void> {
  const folder = await navigator.storage.getDirectory()
  await unlessRefused(() => folder.removeEntry(name))
}

/** Removes the ZIPs that were written at least this long ago, if the browser has such a storage. */
export async function removeKeptZips(minAgeMs: number): Promise<void> {
  if (!('storage' in navigator)) return
  await unlessRefused(async () => removeFrom(await navigator.storage.getDirectory(), minAgeMs))
}

async function removeFrom(folder: FileSystemDirectoryHandle, minAgeMs: number): Promise<void> {
  const latest = Date.now() - minAgeMs
  for await (const [name, handle] of folder.entries()) {
    if (!(handle instanceof FileSystemFileHandle) || !name.startsWith(start)) continue
    await unlessRefused(async () => {
      if ((await handle.getFile()).lastModified <= latest) await folder.removeEntry(name)
    })
  }
}

/**
 * Ignores a refusal: browsers refuse this for a file that is being written or is gone, and some private windows have no storage.
 */
async function unlessRefused(step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}
