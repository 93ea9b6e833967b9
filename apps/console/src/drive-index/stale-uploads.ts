import type { Drive } from '@cairn/sdk'

let isStale = false

/** Uploads were deleted or renamed: what keeps a list of all of them reads it again. */
export function markUploadsStale(): void {
  isStale = true
}

/** Reads a drive again, and lists all uploads if that is due. It stays due if that fails, or another try takes its place. */
export async function reloadDrive(drive: Pick<Drive, 'reload'>, signal: AbortSignal): Promise<void> {
  const isDue = isStale
  isStale = false
  try {
    await drive.reload({ signal, isQuick: !isDue })
  } catch (error) {
    isStale ||= isDue
    throw error
  }
}
