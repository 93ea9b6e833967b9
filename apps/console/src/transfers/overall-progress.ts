/** Bytes done of all bytes, 0 to 1; work without bytes counts as half done. */
export function overallProgress(transfers: readonly { bytes: number; totalBytes: number | undefined }[]): number {
  const total = transfers.reduce((sum, { totalBytes }) => sum + (totalBytes ?? 1), 0)
  const done = transfers.reduce((sum, { bytes, totalBytes }) => sum + (totalBytes === undefined ? 0.5 : bytes), 0)
  return total === 0 ? 0 : Math.min(1, done / total)
}
