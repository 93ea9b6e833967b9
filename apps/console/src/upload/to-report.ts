import type { Progress } from '@cairn/sdk'
import type { TransferReport } from '../transfers/transfer-store.ts'

/** The SDK tells what it does; what is sent in whole waits for the service's disks. */
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
