import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Braces, FilesIcon, Globe, type IconComponent, KeyRound, Lock, Upload } from '#icons'
import { touchQuery, useMedia } from '../browser/use-media.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { CodeLine } from '../ui/values/CodeLine.tsx'
import { openUploadSheet } from '../upload/upload-sheet-store.ts'

/** An account without files: the first upload, what encryption does, and the same from a terminal and a program. */
export function FirstRun({ children }: { children?: ReactNode }) {
  const { api, keyNodes = [] } = useNetwork()
  const canEncrypt = keyNodes.length > 0
  const isTouch = useMedia(touchQuery)
  const trySample = () =>
    openUploadSheet([
      {
        path: messages.files.sampleName,
        file: new File([messages.files.sampleText], messages.files.sampleName, { type: 'text/plain' }),
      },
    ])
  return (
    <>
      <PageHeader title={messages.pages.files} />
      <EmptyState
        icon={FilesIcon}
        title={messages.files.emptyTitle}
        hint={isTouch ? messages.files.emptyHintTouch : messages.files.emptyHint}
      >
        <Button kind="primary" onClick={() => openUploadSheet()}>
          <Upload aria-hidden="true" size={16} />
          {messages.shell.upload}
        </Button>
        <Button onClick={trySample}>{messages.files.emptySample}</Button>
        {children}
      </EmptyState>
      <div className="mx-auto grid w-full max-w-4xl gap-4 md:grid-cols-3">
        <Lesson
          icon={canEncrypt ? Lock : Globe}
          title={canEncrypt ? messages.files.lessonAccess : messages.files.lessonPublic}
          hint={canEncrypt ? messages.files.lessonAccessHint : messages.files.lessonPublicHint}
        />
        <Lesson icon={KeyRound} title={messages.files.lessonCli} hint={messages.files.lessonCliHint}>
          <CodeLine code={`CAIRN_API_KEY=… cairn upload --network ${api} hello.txt`} label={messages.files.copyCli} />
          <Link to="/api-keys" className="mt-1.5 inline-block py-0.5 text-accent-ink text-sm hover:underline">
            {messages.files.lessonKeys}
          </Link>
        </Lesson>
        <Lesson icon={Braces} title={messages.files.lessonSdk} hint={messages.files.lessonSdkHint}>
          <CodeLine
            code={`const network = await loadNetwork('${api}')\nconst client = createClient({ network, apiKey })\nconst { cid } = await uploadText(client, 'hello')`}
            label={messages.files.copySdk}
          />
        </Lesson>
      </div>
    </>
  )
}

function Lesson({
  icon: Icon,
  title,
  hint,
  children,
}: {
  icon: IconComponent
  title: string
  hint: string
  children?: ReactNode
}) {
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface p-4">
      <h2 className="flex items-center gap-2 font-semibold text-sm">
        <Icon aria-hidden="true" size={16} className="shrink-0 text-accent-ink" />
        {title}
      </h2>
      <p className="mt-1 text-ink-soft text-sm">{hint}</p>
      {children}
    </section>
  )
}
