import { type PDFDocumentProxy, TextLayer } from 'pdfjs-dist/legacy/build/pdf.mjs'
import './page-text.css'

/** Maximum pixels of the canvas of a page: browsers reject more, so a larger page is drawn at lower resolution. */
const maxCanvasPixels = 16 * 1024 * 1024
/** Time limit for drawing one page, in ms. */
const maxDrawMs = 30_000

/** A drawn page: its picture with its text over it, to select and to read out, and whether it has any. */
export type DrawnPage = { sheet: HTMLElement; hasText: boolean }

/**
 * Draws a page on its own canvas.
 * @param options `number`: from 1; `width`: of the page in CSS pixels; `signal`: cancels the drawing
 * @throws the reason of the signal; an error if it cannot be drawn, or not in time
 */
export async function drawPage(
  document: PDFDocumentProxy,
  { number, width, signal }: { number: number; width: number; signal: AbortSignal },
): Promise<DrawnPage> {
  const stop = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    reject(reason)
    stop.abort(reason)
  }
  const cancel = () => end(signal.reason)
  const timer = setTimeout(() => end(new Error('The page took too long to draw')), maxDrawMs)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    // A worker that is stuck in a computation does not answer.
    return await Promise.race([draw(document, { number, width, signal: stop.signal }), stopped])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

async function draw(
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
  const cancel = () => drawing.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    await drawing.promise
  } finally {
    signal.removeEventListener('abort', cancel)
  }
  const content = await page.getTextContent()
  const text = globalThis.document.createElement('div')
  text.className = 'pdf-text'
  text.style.setProperty('--total-scale-factor', `${scale}`)
  const layer = new TextLayer({
    textContentSource: content,
    container: text,
    viewport: page.getViewport({ scale }),
    images: undefined,
  })
  signal.addEventListener('abort', () => layer.cancel(), { once: true })
  await layer.render()
  signal.throwIfAborted()
  page.cleanup()
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  canvas.setAttribute('aria-hidden', 'true')
  const sheet = globalThis.document.createElement('div')
  sheet.style.position = 'relative'
  sheet.append(canvas, text)
  return { sheet, hasText: content.items.some((item) => 'str' in item && item.str.trim() !== '') }
}
