import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from '#icons'
import { messages } from '../../messages/messages.ts'
import { fieldClass } from '../../ui/forms/TextField.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Skeleton } from '../../ui/states/Skeleton.tsx'
import { NoPreview } from '../ContentView.tsx'
import { type DrawnPage, drawPage } from './draw-page.ts'
import { answersInTime, openPdf, type PasswordRequest } from './open-pdf.ts'
import { PdfPassword } from './PdfPassword.tsx'

/** Zoom levels relative to the width of the frame. */
const zooms: readonly number[] = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4]

/** A PDF drawn page by page on a canvas: none of its code runs. Its text can be selected, searched and read out. */
export function PdfView({ bytes, name }: { bytes: Uint8Array; name: string }) {
  const [document, setDocument] = useState<PDFDocumentProxy>()
  const [brokenBytes, setBroken] = useState<Uint8Array>()
  const [asked, setAsked] = useState<PasswordRequest>()
  const isBroken = brokenBytes === bytes
  useEffect(() => {
    setDocument(undefined)
    setAsked(undefined)
    if (isBroken) return
    let isGone = false
    // The reader takes ownership of the bytes.
    const opening = openPdf(bytes.slice(), (request) => {
      if (!isGone) setAsked(request)
    })
    opening.promise.then(
      (opened) => (isGone ? undefined : setDocument(opened)),
      () => (isGone ? undefined : setBroken(bytes)),
    )
    return () => {
      isGone = true
      opening.end()
    }
  }, [bytes, isBroken])
  if (isBroken) return <NoPreview hint={messages.preview.broken} />
  if (document !== undefined) return <Pages document={document} name={name} onStuck={() => setBroken(bytes)} />
  return asked === undefined ? <Skeleton className="h-96 w-full" /> : <PdfPassword request={asked} />
}

function Pages({
  document,
  name,
  onStuck,
}: {
  document: PDFDocumentProxy
  name: string
  /** The reader never finishes, so no page can be drawn. */
  onStuck: () => void
}) {
  const id = useId()
  const frame = useRef<HTMLElement>(null)
  const sheet = useRef<HTMLDivElement>(null)
  const [number, setNumber] = useState(1)
  /** The text in the field while it is edited: it can be empty, and be a page that the document does not have. */
  const [typed, setTyped] = useState<string>()
  const [zoom, setZoom] = useState(1)
  const [frameWidth, setFrameWidth] = useState(0)
  const [drawn, setDrawn] = useState<DrawnPage>()
  const [isBroken, setBroken] = useState(false)
  const count = document.numPages
  const stuck = useRef(onStuck)
  useEffect(() => {
    stuck.current = onStuck
  }, [onStuck])

  useEffect(() => {
    const { current } = frame
    if (current === null) return
    const watch = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setFrameWidth(Math.floor(entry.contentRect.width))
    })
    watch.observe(current)
    return () => watch.disconnect()
  }, [])
  useEffect(() => {
    if (frameWidth === 0) return
    const stop = new AbortController()
    setBroken(false)
    drawPage(document, { number, width: frameWidth * zoom, signal: stop.signal }).then(
      (page) => {
        if (stop.signal.aborted) return
        sheet.current?.replaceChildren(page.sheet)
        setDrawn(page)
      },
      async () => {
        if (stop.signal.aborted) return
        // One page that fails or times out does not hide the others.
        setBroken(true)
        if (!(await answersInTime(document)) && !stop.signal.aborted) stuck.current()
      },
    )
    return () => stop.abort()
  }, [document, number, frameWidth, zoom])

  const go = (next: number) => {
    setNumber(Math.min(count, Math.max(1, next)))
    frame.current?.scrollTo({ top: 0 })
  }
  const step = (by: 1 | -1) => setZoom((before) => zooms[zooms.indexOf(before) + by] ?? before)
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { key } = event
    if (key === 'PageDown' || key === 'ArrowRight') go(number + 1)
    else if (key === 'PageUp' || key === 'ArrowLeft') go(number - 1)
    else if (key === 'Home') go(1)
    else if (key === 'End') go(count)
    else if (key === '+' || key === '=') step(1)
    else if (key === '-') step(-1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex flex-col gap-2">
      <div role="toolbar" aria-label={messages.preview.pdfTools} className="flex flex-wrap items-center gap-1">
        <IconButton
          icon={ChevronLeft}
          label={messages.preview.pdfBack}
          disabled={number === 1}
          onClick={() => go(number - 1)}
        />
        <label htmlFor={id} className="text-sm">
          {messages.preview.pdfPage}
        </label>
        <span className="w-16">
          <input
            id={id}
            type="number"
            min={1}
            max={count}
            value={typed ?? number}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value)
              const wanted = currentTarget.valueAsNumber
              if (Number.isInteger(wanted)) go(wanted)
            }}
            onBlur={() => setTyped(undefined)}
            className={`${fieldClass} h-9 text-center tabular pointer-coarse:h-11`}
          />
        </span>
        <span className="text-ink-soft text-sm tabular">{messages.preview.pdfOf(count)}</span>
        <IconButton
          icon={ChevronRight}
          label={messages.preview.pdfNext}
          disabled={number === count}
          onClick={() => go(number + 1)}
        />
        <span className="ml-auto flex items-center gap-1">
          <IconButton
            icon={ZoomOut}
            label={messages.preview.pdfSmaller}
            disabled={zoom === zooms[0]}
            onClick={() => step(-1)}
          />
          <span className="w-12 text-center text-ink-soft text-sm tabular">{messages.preview.pdfZoom(zoom)}</span>
          <IconButton
            icon={ZoomIn}
            label={messages.preview.pdfLarger}
            disabled={zoom === zooms.at(-1)}
            onClick={() => step(1)}
          />
        </span>
      </div>
      {isBroken ? <p className="text-sm text-warn">{messages.preview.pdfPageBroken(number)}</p> : undefined}
      <section
        ref={frame}
        aria-label={messages.preview.pdfPages(name)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        onKeyDown={onKey}
        className="relative max-h-[60dvh] min-h-40 overflow-auto rounded-lg border border-line bg-sunken [scrollbar-gutter:stable]"
      >
        <div ref={sheet} className="grid w-fit min-w-full place-items-center" />
        {drawn?.hasText === false ? <p className="sr-only">{messages.preview.pdfNoText}</p> : undefined}
      </section>
      <p role="status" className="sr-only">
        {messages.preview.pdfWhere(number, count)}
      </p>
    </div>
  )
}
