import { type ReactNode, useState } from 'react'
import { FileQuestion } from '#icons'
import { messages } from '../messages/messages.ts'
import type { PreviewForm } from './preview-kind.ts'
import { usePlaysOn } from './use-plays-on.ts'

/** Images, audio and video in the elements of the browser, which run no content. */
export function MediaView({ form, url, name }: { form: PreviewForm; url: string; name: string }) {
  const [failedUrl, setFailedUrl] = useState<string>()
  const playing = usePlaysOn(url)
  if (failedUrl === url) return <NoPreview hint={messages.preview.broken} />
  const onError = () => setFailedUrl(url)
  if (form.kind === 'audio') {
    return <audio {...playing} controls src={url} aria-label={name} onError={onError} className="w-full" />
  }
  if (form.kind === 'video') {
    return (
      <video
        {...playing}
        controls
        src={url}
        aria-label={name}
        onError={onError}
        className="max-h-(--preview-height,60dvh) w-full rounded-lg bg-sunken"
      />
    )
  }
  return (
    <div className="grid place-items-center rounded-lg border border-line bg-sunken p-2">
      <img
        src={url}
        alt={name}
        // A picture dragged by mistake would count as a file to upload.
        draggable={false}
        onError={onError}
        className="max-h-(--preview-height,60dvh) max-w-full rounded-md object-contain"
      />
    </div>
  )
}

/** Text as it is, whatever its format; `children` are the same text in colours. */
export function TextView({
  text,
  name,
  isCut,
  children,
}: {
  text: string
  name: string
  isCut: boolean
  children?: ReactNode
}) {
  return (
    <div className="flex flex-col gap-2">
      <section
        aria-label={name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        className="max-h-(--preview-height,60dvh) overflow-auto rounded-lg border border-line bg-sunken p-4"
      >
        <pre className="whitespace-pre-wrap font-mono text-sm">
          {text === '' ? messages.preview.emptyFile : (children ?? text)}
        </pre>
      </section>
      {isCut ? <p className="text-ink-soft text-sm">{messages.preview.cut}</p> : undefined}
    </div>
  )
}

/** Content without a safe preview. */
export function NoPreview({ hint = messages.preview.noneHint }: { hint?: string }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg bg-sunken px-4 py-10 text-center">
      <FileQuestion aria-hidden="true" size={24} strokeWidth={1.6} className="text-ink-soft" />
      <p className="font-medium">{messages.preview.noneTitle}</p>
      <p className="max-w-sm text-ink-soft text-sm">{hint}</p>
    </div>
  )
}
