export function FilesPage() {
  return undefined
}
