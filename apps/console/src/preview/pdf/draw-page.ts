import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Most pixels of a page's canvas: beyond it browsers refuse, and a page is drawn less fine. */
const canvasPixelsMost = 16 * 1024 * 1024
/** Longest that one page may take to be drawn. */
const drawMsMost = 30_000

/** A page as it was drawn: its canvas, its size in the page and its text. */
export type DrawnPage = { canvas: HTMLCanvasElement; width: number; height: number; text: string }

/**
 * Draws a page on a canvas of its own.
 * @param options `number`: from 1; `width`: of the page in CSS pixels; `signal`: ends the drawing
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
  const fineness = Math.min(devicePixelRatio, Math.sqrt(canvasPixelsMost / Math.max(1, width * height)))
  const canvas = globalThis.document.createElement('canvas')
  const viewport = page.getViewport({ scale: scale * fineness })
  canvas.width = Math.max(1, Math.floor(viewport.width))
  canvas.height = Math.max(1, Math.floor(viewport.height))
  const drawing = page.render({ canvas, viewport, background: '#ffffff' })
  const stop = AbortSignal.any([signal, AbortSignal.timeout(drawMsMost)])
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
