import { bytesPerUsd, minBilledBytes } from '@cairn/protocol'

/** US dollars for so many bytes, for people to read; what is paid is computed in integers by the SDK. */
export function priceUsd(sizeBytes: number): number {
  return Math.max(sizeBytes, minBilledBytes) / bytesPerUsd
}
