import { saveFile } from './save-file.ts'

/** Saves a text as a file. */
export function saveText(fileName: string, text: string, type = 'text/plain'): void {
  saveFile(new Blob([text], { type }), fileName)
}
