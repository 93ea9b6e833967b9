import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Maximum pixels of the canvas of a page: browsers reject more, so a larger page is drawn at lower resolution. */
const maxCanvasPixels = 16 * 1024 * 1024
/** Time limit for drawing one page, in ms. */
const maxDrawMs = 30_000

/** A drawn page: its canvas, its size in the page and its text. */
export type DrawnPage = { canvas: HTMLCanvasElement; width: number; height: number; text: string }

/**
 * Draws a page on its own canvas.
 * @param options `number`: from 1; `width`: of the page in CSS pixels; `signal`: cancels the drawing
 */
export async function drawPage(
  document: PDFDocumentProxy,
  { number, width, signal }: { number: number; width: number; signal: AbortSignal },
): Promise<DrawnPage> {
  const page = await document.getPage(number)
  signal.throwIfAborted()
  const whole = page.getViewport({ scale: 1 })
  const scale = width / whole.width
  const height = whole.height * scale
  const fineness = Math.min(devicePixelRatio, Math.sqrt(maxCanvasPixels / Math.max(1, width * height)))
  const canvas = globalThis.document.createElement('canvas')
  const viewport = page.getViewport({ scale: scale * fineness })
  canvas.width = Math.max(1, Math.floor(viewport.width))
  canvas.height = Math.max(1, Math.floor(viewport.height))
  const drawing = page.render({ canvas, viewport, background: '#ffffff' })
  const stop = AbortSignal.any([signal, AbortSignal.timeout(maxDrawMs)])
  const cancel = () => drawing.cancel()
  stop.addEventListener('abort', cancel, { once: true })
  try {
    await drawing.promise
  } finally {
    stop.removeEventListener('abort', cancel)
  }
  const { items } = await page.getTextContent()
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('')
  page.cleanup()
  return { canvas, width, height, text }
}
