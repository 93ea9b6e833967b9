import {
  GlobalWorkerOptions,
  getDocument,
  PasswordResponses,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  TextLayer,
  VerbosityLevel,
  version,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import { pdfDataFolders, pdfDataPath } from './pdf-data.ts'

/** Maximum size of an image within a PDF, in pixels. */
const maxImagePixels = 64 * 1024 * 1024
/** Time limit for opening a PDF, and for opening it with a password, in ms. */
const maxOpenMs = 30_000
/** Time in ms in which a worker must answer. A worker that is stuck in one computation does not, possibly for hours. */
const answerMs = 2_000

/** Addresses of the data files of the reader, at the console's own origin; its worker fetches them. */
function dataUrls() {
  const urlOf = (folder: string) => `${new URL(`/${pdfDataPath(version)}/${folder}/`, location.origin)}`
  return {
    cMapUrl: urlOf(pdfDataFolders.cMapUrl),
    iccUrl: urlOf(pdfDataFolders.iccUrl),
    standardFontDataUrl: urlOf(pdfDataFolders.standardFontDataUrl),
    wasmUrl: urlOf(pdfDataFolders.wasmUrl),
  }
}

/** An opening PDF; `promise` rejects after a time, and `end` releases it with its worker. */
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
  const late = Promise.withResolvers<never>()
  const startTimer = () => setTimeout(() => late.reject(new Error('The PDF took too long to open')), maxOpenMs)
  let timer = startTimer()
  task.onPassword = (answer: (password: string) => void, reason: number) => {
    clearTimeout(timer)
    const answerInTime = (password: string) => {
      timer = startTimer()
      answer(password)
    }
    onPassword({ answer: answerInTime, isWrong: reason === PasswordResponses.INCORRECT_PASSWORD })
  }
  // Each file has its own worker.
  GlobalWorkerOptions.workerPort = null
  return {
    promise: Promise.race([task.promise, late.promise]).finally(() => clearTimeout(timer)),
    end: () => {
      clearTimeout(timer)
      const terminate = () => port.terminate()
      const ending = setTimeout(terminate, answerMs)
      void task.destroy().finally(() => {
        clearTimeout(ending)
        terminate()
      })
      TextLayer.cleanup()
    },
  }
}

/** Returns whether the worker of a document answers. While it is stuck on one page, it cannot draw others. */
export async function answersInTime(document: PDFDocumentProxy): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), answerMs)
  // The answer of this request is not used.
  const answer = document.getDestination('').then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
