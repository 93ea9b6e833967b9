import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentLoadingTask,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Largest picture within a file that is drawn, in pixels. */
const imagePixelsMost = 64 * 1024 * 1024

/** A file that is being read; `end` frees all of it, its worker too. */
export type OpeningPdf = { promise: PDFDocumentLoadingTask['promise']; end: () => void }

/**
 * Begins to read a PDF in a worker of its own. Nothing in the file is run: no scripts, no forms, no links, and no address in
 * it is asked for anything.
 * @param data of the file; it is taken away from the caller
 */
export function openPdf(data: Uint8Array): OpeningPdf {
  const port = new Worker(new URL('./pdf.worker.ts', import.meta.url), { type: 'module' })
  GlobalWorkerOptions.workerPort = port
  const task = getDocument({
    data,
    enableXfa: false,
    disableAutoFetch: true,
    useWasm: false,
    maxImageSize: imagePixelsMost,
    verbosity: VerbosityLevel.ERRORS,
  })
  // One file, one worker.
  GlobalWorkerOptions.workerPort = null
  return {
    promise: task.promise,
    end: () => {
      void task.destroy().finally(() => port.terminate())
    },
  }
}
