import { inspectUploadLink, type UploadLinkInfo } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { Inbox, Upload } from '#icons'
import { setPageTitle } from '../browser/page-title.ts'
import { LinkHead } from '../links/LinkHead.tsx'
import { describeEnd, LinkProblem } from '../links/LinkProblem.tsx'
import { formatBytes, formatDateTime, formatUntil } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { Fact, Facts } from '../ui/values/Fact.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { SentFiles } from './SentFiles.tsx'
import { useSending } from './use-sending.ts'

/** The page of an upload link, for people without a wallet. The secret of the link stays in the fragment of the address. */
export function UploadLinkPage() {
  const token = useLocation({ select: ({ hash }) => hash })
  const url = `${location.origin}/upload-link#${token}`
  return (
    <div className="mx-auto w-full max-w-2xl">
      <OneUploadLink key={url} url={url} />
    </div>
  )
}

function OneUploadLink({ url }: { url: string }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['upload-link', url],
    queryFn: ({ signal }) => inspectUploadLink(url, { signal }),
    refetchOnWindowFocus: false,
  })
  const { files, add, retry } = useSending(url, () => void refetch())
  useEffect(() => setPageTitle(messages.uploadLinks.title), [])
  if (data === undefined && (error === null || isFetching)) {
    return (
      <p className="grid min-h-60 place-items-center">
        <Spinner label={messages.uploadLinks.loading} size={24} />
      </p>
    )
  }
  // The last file may have used up the link: the list of sent files stays visible.
  if (data === undefined || (error !== null && files.length === 0)) {
    return <LinkProblem error={error} texts={messages.uploadLinks} onRetry={() => refetch()} />
  }
  return (
    <div className="mx-auto flex max-w-md flex-col gap-5 py-4 sm:py-10">
      <LinkHead icon={Inbox} title={messages.uploadLinks.title} hint={messages.uploadLinks.hint} />
      <Limits info={data} hasEnded={describeEnd(error, messages.uploadLinks) !== undefined} />
      {error === null ? (
        <Chooser types={data.contentTypes} onChoose={add} />
      ) : (
        <LinkProblem isPage={false} error={error} texts={messages.uploadLinks} onRetry={() => refetch()} />
      )}
      {files.length === 0 ? undefined : <SentFiles files={files} onRetry={retry} />}
    </div>
  )
}

/** What a link accepts; the rest of it only as long as it accepts files. */
function Limits({ info, hasEnded }: { info: UploadLinkInfo; hasEnded: boolean }) {
  const { owner, expiresAt, uploadsLeft, bytesLeft, maxFileBytes, contentTypes } = info
  const { uploadLinks } = messages
  return (
    <div className="rounded-lg border border-line bg-surface px-4 py-3">
      <Facts>
        <Fact label={uploadLinks.receivedBy}>
          <ShortCode text={owner} label={uploadLinks.copyAddress} />
        </Fact>
        <Fact label={uploadLinks.expires}>
          <time dateTime={new Date(expiresAt).toISOString()} title={formatUntil(expiresAt)}>
            {formatDateTime(expiresAt)}
          </time>
        </Fact>
        {hasEnded ? undefined : <Fact label={uploadLinks.left}>{uploadLinks.leftText(uploadsLeft, bytesLeft)}</Fact>}
        <Fact label={uploadLinks.largest}>{formatBytes(maxFileBytes)}</Fact>
        {contentTypes.length === 0 ? undefined : <Fact label={uploadLinks.types}>{contentTypes.join(', ')}</Fact>}
      </Facts>
    </div>
  )
}

function Chooser({ types, onChoose }: { types: readonly string[]; onChoose: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const choose = useEffectEvent(onChoose)
  useEffect(() => {
    // On the whole page, because browsers open a file that is dropped beside the field, and leave the page.
    const stop = new AbortController()
    const { signal } = stop
    addEventListener('dragover', (event) => event.preventDefault(), { signal })
    addEventListener(
      'drop',
      (event) => {
        event.preventDefault()
        if (event.dataTransfer !== null) choose(event.dataTransfer.files)
      },
      { signal },
    )
    return () => stop.abort()
  }, [])
  return (
    // Keyboard users have the button; dropping files is an addition.
    <fieldset
      aria-label={messages.uploadLinks.choose}
      className="flex flex-col items-center gap-2 rounded-lg border border-line-strong border-dashed px-4 py-8"
    >
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={types.join(',')}
        aria-label={messages.uploadLinks.choose}
        onChange={({ target }) => {
          onChoose(Array.from(target.files ?? []))
          target.value = ''
        }}
      />
      <Button kind="primary" size="large" onClick={() => input.current?.click()}>
        <Upload aria-hidden="true" size={18} />
        {messages.uploadLinks.choose}
      </Button>
      <p className="text-ink-soft text-sm pointer-coarse:hidden">{messages.uploadLinks.drop}</p>
    </fieldset>
  )
}
