/** Saves bytes as a file. Nothing is sent anywhere. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // By then, the browser has started to read it. Firefox has not when the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
