/** Saves a text as a file. Nothing is sent anywhere. */
export function saveText(fileName: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  // The browser has started to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
