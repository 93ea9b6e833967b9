/** Saves bytes as a file. Nothing is sent anywhere. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has started to read it by then; Firefox has not when the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
