import type { Drive } from '@cairn/sdk'

let isStale = false

/** Reports that uploads were deleted or renamed, so that every list of all uploads is read again. */
export function markUploadsStale(): void {
  isStale = true
}

/** Reads a drive again, and lists all uploads if necessary. That remains necessary if it fails or is replaced by another reload. */
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
