import { Suspense, useState } from 'react'
import { messages } from '../../messages/messages.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { Segments } from '../../ui/forms/Segments.tsx'
import { Skeleton } from '../../ui/states/Skeleton.tsx'
import { TextView } from '../ContentView.tsx'
import type { DecodedText } from '../decode-text.ts'
import { LazyCode } from './lazy-code.ts'
import { chooseTextForm, type TextForm } from './text-form.ts'

// Each form loads with the first file of its kind.
const MarkdownView = lazyPart(async () => (await import('./MarkdownView.tsx')).MarkdownView)
const TableView = lazyPart(async () => (await import('./TableView.tsx')).TableView)

type TextPreviewProps = { decoded: DecodedText; name: string; mimeType: string | null; isCut: boolean }

/** A text in its best form, with a note if its encoding is a guess. */
export function TextPreview({ decoded: { text, isGuessed }, ...file }: TextPreviewProps) {
  if (!isGuessed) return <TextInForm text={text} {...file} />
  return (
    <div className="flex flex-col gap-2">
      <TextInForm text={text} {...file} />
      <p className="text-ink-soft text-sm">{messages.preview.guessedLetters}</p>
    </div>
  )
}

/** Rendered Markdown, a table, highlighted code, or the text as it is. */
function TextInForm({ text, name, mimeType, isCut }: Omit<TextPreviewProps, 'decoded'> & { text: string }) {
  const form = chooseTextForm(name, mimeType)
  const [shown, setShown] = useState<'formatted' | 'source'>('formatted')
  if (form.kind === 'plain' || text === '') return <TextView text={text} name={name} isCut={isCut} />
  if (form.kind === 'code') {
    return (
      <TextView text={text} name={name} isCut={isCut}>
        <Suspense fallback={text}>
          <LazyCode text={text} language={form.language} />
        </Suspense>
      </TextView>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      <Segments
        label={messages.preview.shownAs}
        value={shown}
        options={[
          { value: 'formatted', label: form.kind === 'table' ? messages.preview.asTable : messages.preview.formatted },
          { value: 'source', label: messages.preview.source },
        ]}
        onChange={setShown}
      />
      {shown === 'source' ? (
        <TextView text={text} name={name} isCut={isCut} />
      ) : (
        <Suspense fallback={<Skeleton />}>
          <Formatted form={form} text={text} name={name} isCut={isCut} />
        </Suspense>
      )}
    </div>
  )
}

function Formatted({ form, text, name, isCut }: { form: TextForm; text: string; name: string; isCut: boolean }) {
  if (form.kind === 'table') return <TableView text={text} separator={form.separator} name={name} isCut={isCut} />
  return (
    <>
      <section
        aria-label={name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        className="max-h-(--preview-height,60dvh) overflow-auto rounded-lg border border-line bg-surface p-4 sm:p-6"
      >
        <MarkdownView text={text} />
      </section>
      {isCut ? <p className="text-ink-soft text-sm">{messages.preview.cut}</p> : undefined}
    </>
  )
}
