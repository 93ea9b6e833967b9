import { useState } from 'react'
import { FileQuestion } from '#icons'
import { words } from '../words/words.ts'
import type { PreviewForm } from './preview-kind.ts'

/** Pictures, sound and film by the browser's own elements, which run nothing. */
export function MediaView({ form, url, name }: { form: PreviewForm; url: string; name: string }) {
  const [failedUrl, setFailedUrl] = useState<string>()
  if (failedUrl === url) return <NoPreview hint={words.preview.broken} />
  const onError = () => setFailedUrl(url)
  if (form.kind === 'audio') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: whoever uploaded it gave no captions.
      <audio controls src={url} aria-label={name} onError={onError} className="w-full" />
    )
  }
  if (form.kind === 'video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: whoever uploaded it gave no captions.
      <video
        controls
        src={url}
        aria-label={name}
        onError={onError}
        className="max-h-[60dvh] w-full rounded-lg bg-sunken"
      />
    )
  }
  return (
    <div className="grid place-items-center rounded-lg border border-line bg-sunken p-2">
      <img src={url} alt={name} onError={onError} className="max-h-[60dvh] max-w-full rounded-md object-contain" />
    </div>
  )
}

/** Text as text, whatever it is the source of. */
export function TextView({ text, name, isCut }: { text: string; name: string; isCut: boolean }) {
  return (
    <div className="flex flex-col gap-2">
      <section
        aria-label={name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        className="max-h-[60dvh] overflow-auto rounded-lg border border-line bg-sunken p-4"
      >
        <pre className="whitespace-pre-wrap font-mono text-sm">{text === '' ? words.preview.emptyFile : text}</pre>
      </section>
      {isCut ? <p className="text-ink-soft text-sm">{words.preview.cut}</p> : undefined}
    </div>
  )
}

/** Nothing can be shown of it, safely or at all. */
export function NoPreview({ hint = words.preview.noneHint }: { hint?: string }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg bg-sunken px-4 py-10 text-center">
      <FileQuestion aria-hidden="true" size={24} strokeWidth={1.6} className="text-ink-soft" />
      <p className="font-medium">{words.preview.noneTitle}</p>
      <p className="max-w-sm text-ink-soft text-sm">{hint}</p>
    </div>
  )
}
