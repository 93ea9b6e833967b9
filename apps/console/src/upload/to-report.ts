import type { Progress } from '@cairn/sdk'
import type { TransferReport } from '../transfers/transfer-store.ts'

/** Maps progress of the SDK to a report; after the last byte, the upload waits for the disks of the service. */
export function toReport(
  { phase, bytes, total, bytesPerSecond, remainingMs }: Progress,
  isEncrypted: boolean,
): TransferReport {
  if (phase === 'keys') return { stage: 'keys', remainingMs: undefined, bytesPerSecond: 0 }
  if (phase === 'prepare') {
    return { stage: isEncrypted ? 'encrypting' : 'checking', bytes, bytesPerSecond, remainingMs }
  }
  if (total !== undefined && bytes >= total) return { stage: 'storing', bytes, remainingMs: undefined }
  return { stage: 'sending', bytes, bytesPerSecond, remainingMs }
}
