import {
  GlobalWorkerOptions,
  getDocument,
  PasswordResponses,
  type PDFDocumentLoadingTask,
  TextLayer,
  VerbosityLevel,
  version,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import { pdfDataFolders, pdfDataPath } from './pdf-data.ts'

/** Maximum size of an image within a PDF, in pixels. */
const maxImagePixels = 64 * 1024 * 1024

/** Addresses of what the reader needs beside its code, at the console's own origin; its worker fetches them. */
function dataUrls() {
  const urlOf = (folder: string) => `${new URL(`/${pdfDataPath(version)}/${folder}/`, location.origin)}`
  return {
    cMapUrl: urlOf(pdfDataFolders.cMapUrl),
    iccUrl: urlOf(pdfDataFolders.iccUrl),
    standardFontDataUrl: urlOf(pdfDataFolders.standardFontDataUrl),
    wasmUrl: urlOf(pdfDataFolders.wasmUrl),
  }
}

/** An opening PDF; `end` releases it with its worker. */
export type OpeningPdf = { promise: PDFDocumentLoadingTask['promise']; end: () => void }

/** A request for the password of a PDF. `isWrong`: whether one was tried before. */
export type PasswordRequest = { isWrong: boolean; answer: (password: string) => void }

/**
 * Opens a PDF in its own worker. Nothing in the file runs: no scripts, no forms, no links, and no URL in it is fetched.
 * Fonts, character maps and decoders come from the console itself.
 * @param data of the file; ownership passes to the worker
 * @param onPassword called for a PDF with a password, until it is right; the password stays in this page and its worker
 */
export function openPdf(data: Uint8Array, onPassword: (request: PasswordRequest) => void): OpeningPdf {
  const port = new Worker(new URL('./pdf.worker.ts', import.meta.url), { type: 'module' })
  GlobalWorkerOptions.workerPort = port
  const task = getDocument({
    data,
    enableXfa: false,
    disableAutoFetch: true,
    ...dataUrls(),
    maxImageSize: maxImagePixels,
    verbosity: VerbosityLevel.ERRORS,
  })
  task.onPassword = (answer: (password: string) => void, reason: number) =>
    onPassword({ answer, isWrong: reason === PasswordResponses.INCORRECT_PASSWORD })
  // One file, one worker.
  GlobalWorkerOptions.workerPort = null
  return {
    promise: task.promise,
    end: () => {
      void task.destroy().finally(() => port.terminate())
      TextLayer.cleanup()
    },
  }
}
