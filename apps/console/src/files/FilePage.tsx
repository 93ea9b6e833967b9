import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ChevronLeft, ChevronRight, Globe, Maximize2, Minimize2, UserRound } from '#icons'
import { AccessPanel } from '../access/AccessPanel.tsx'
import { FolderPath } from '../content/FolderView.tsx'
import { UnknownFile } from '../content/UnknownFile.tsx'
import { type FileInfo, nameOf, useFileInfo } from '../content/use-file-info.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { messages } from '../messages/messages.ts'
import { EncryptedContent } from '../preview/EncryptedContent.tsx'
import { SignInGate } from '../session/SignInGate.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { FileName } from '../ui/FileName.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Modal } from '../ui/Modal.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { EncryptedFolder } from './EncryptedFolder.tsx'
import { CopyLink, FileDetails } from './FileDetails.tsx'
import { FileTabs } from './FileTabs.tsx'
import { PublicContent } from './PublicContent.tsx'
import { SignLinkButton } from './SignLinkDialog.tsx'
import { useFullScreen } from './use-full-screen.ts'
import { useSiblings } from './use-siblings.ts'

/** One file over the list, with its neighbours at hand: Back and Escape return to the list as it was. */
export function FilePage() {
  const { cid = '', _splat: path = '' } = useParams({ strict: false })
  const { tab = 'preview' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const listSearch = useSearch({ from: '/files' })
  const { data, error, refetch } = useFileInfo(cid)
  const { at, count, back, next } = useSiblings(cid, path === '')
  const { isFull, toggle } = useFullScreen()
  const below = path.split('/').at(-1) ?? ''
  return (
    <Modal
      isOpen
      place={isFull ? 'full' : 'right'}
      isPlace
      onClose={() => void navigate({ to: '/files', search: listSearch })}
      actions={
        <div className="-mr-2 flex items-center">
          {path === '' && at !== undefined ? (
            <>
              {/* Not `disabled`: at the end of the list the button keeps the focus. */}
              <p role="status" className="sr-only">
                {messages.preview.place(at, count)}
              </p>
              <IconButton
                icon={ChevronLeft}
                label={messages.preview.previous}
                aria-keyshortcuts="ArrowLeft"
                aria-disabled={back === undefined}
                className={back === undefined ? 'opacity-50' : ''}
                onClick={back}
              />
              <IconButton
                icon={ChevronRight}
                label={messages.preview.next}
                aria-keyshortcuts="ArrowRight"
                aria-disabled={next === undefined}
                className={next === undefined ? 'opacity-50' : ''}
                onClick={next}
              />
            </>
          ) : undefined}
          <IconButton
            icon={isFull ? Minimize2 : Maximize2}
            label={isFull ? messages.preview.leaveFullScreen : messages.preview.fullScreen}
            onClick={toggle}
          />
        </div>
      }
      title={<FileName name={below !== '' ? below : data === undefined ? messages.files.details : nameOf(data)} />}
    >
      {error !== null ? (
        <UnknownFile error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : path !== '' ? (
        <>
          <FolderPath cid={cid} path={path} rootName={nameOf(data)} />
          {data.encryption ? (
            <EncryptedFolder info={data} path={path} />
          ) : (
            <PublicContent cid={cid} isPrivate={data.private ?? false} path={path} name={below} mimeType={null} />
          )}
        </>
      ) : (
        <>
          <FileTabs cid={cid} isPrivate={data.private ?? false} shown={tab} />
          <Tab key={cid} tab={tab} info={data} />
        </>
      )}
    </Modal>
  )
}

function Tab({ tab, info }: { tab: 'preview' | 'details' | 'access' | 'proofs' | 'names'; info: FileInfo }) {
  const { cid } = info
  if (tab === 'details') return <FileDetails info={info} />
  if (tab === 'access') return <FileAccess info={info} />
  if (tab === 'proofs') {
    return (
      <Elsewhere title={messages.preview.proofsTitle} hint={messages.preview.proofsHint}>
        <Link to="/proofs/$cid" params={{ cid }} className={buttonClass('primary')}>
          {messages.preview.proofsGo}
        </Link>
      </Elsewhere>
    )
  }
  if (tab === 'names') {
    return (
      <Elsewhere title={messages.preview.namesTitle} hint={messages.preview.namesHint}>
        <Link to="/names" search={{ publish: cid }} className={buttonClass('primary')}>
          {messages.preview.namesGo}
        </Link>
      </Elsewhere>
    )
  }
  return <FileContent info={info} />
}

/** Who can open a file or folder. */
function FileAccess({ info }: { info: FileInfo }) {
  const { cid, encryption, mimeType } = info
  const { isFolder = false } = useIsFolder(info)
  if (info.private) {
    return (
      <EmptyState
        icon={UserRound}
        title={messages.preview.privateAccessTitle(isFolder)}
        hint={messages.preview.privateAccessHint}
      >
        <SignLinkButton cidPath={cid} name={nameOf(info)} mimeType={mimeType} />
      </EmptyState>
    )
  }
  if (!encryption) {
    return (
      <EmptyState
        icon={Globe}
        title={messages.preview.publicAccessTitle(isFolder)}
        hint={messages.preview.publicAccessHint}
      >
        <CopyLink cid={cid} />
      </EmptyState>
    )
  }
  return <SignInGate>{() => <AccessPanel key={cid} cid={cid} name={nameOf(info)} isFolder={isFolder} />}</SignInGate>
}

/** The content of a file: public immediately, encrypted after the key nodes grant access. */
export function FileContent({ info }: { info: FileInfo }) {
  const { cid, encryption, mimeType, private: isPrivate = false } = info
  return encryption ? (
    <Encrypted key={cid} info={info} />
  ) : (
    <PublicContent cid={cid} isPrivate={isPrivate} name={nameOf(info)} mimeType={mimeType} />
  )
}

function Encrypted({ info }: { info: FileInfo }) {
  const { cid, mimeType, fileSizeInBytes } = info
  const { isFolder, error, refetch } = useIsFolder(info)
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  if (isFolder === undefined) return <Skeleton className="h-40 w-full" />
  if (isFolder) {
    return (
      <div className="flex flex-col gap-4">
        <EncryptedFolder info={info} />
        <div>
          <CopyLink cid={cid} />
        </div>
      </div>
    )
  }
  return <EncryptedContent cid={cid} name={nameOf(info)} mimeType={mimeType} sizeBytes={Number(fileSizeInBytes)} />
}

function Elsewhere({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-3">
      <h3 className="font-semibold">{title}</h3>
      <p className="text-ink-soft text-sm">{hint}</p>
      {children}
    </div>
  )
}
