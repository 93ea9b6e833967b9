import { saveFile } from '../browser/save-file.ts'

/** Saves bytes as a download. The type is fixed, so none of it can run here. */
export function saveBlob(blob: Blob, name: string): void {
  saveFile(new Blob([blob], { type: 'application/octet-stream' }), name)
}
