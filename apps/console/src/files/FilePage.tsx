import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { Globe, UserRound } from '#icons'
import { AccessPanel } from '../access/AccessPanel.tsx'
import { setPlaceTitle } from '../browser/page-title.ts'
import { FolderPath } from '../content/FolderView.tsx'
import { UnknownFile } from '../content/UnknownFile.tsx'
import { type FileInfo, nameOf, useFileInfo } from '../content/use-file-info.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { EncryptedContent } from '../preview/EncryptedContent.tsx'
import { SignInGate } from '../session/SignInGate.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import { EarlierVersion } from './EarlierVersion.tsx'
import { EncryptedFolder } from './EncryptedFolder.tsx'
import { CopyLink, FileDetails } from './FileDetails.tsx'
import { FileHeadActions } from './FileHeadActions.tsx'
import { FileTabs } from './FileTabs.tsx'
import { withoutFile } from './files-search.ts'
import { PublicContent } from './PublicContent.tsx'
import { SignLinkButton } from './SignLinkDialog.tsx'
import { useFullScreen } from './use-full-screen.ts'
import { useSiblings } from './use-siblings.ts'

/** One file over the list, with its neighbours at hand: Back and Escape return to the list as it was. */
export function FilePage() {
  const { cid = '', _splat: path = '' } = useParams({ strict: false })
  const { tab = 'preview', share = false } = useSearch({ strict: false })
  const navigate = useNavigate()
  const listSearch = useSearch({ from: '/files' })
  const { data, error, refetch } = useFileInfo(cid, { isUpload: listSearch.place === 'uploads' })
  const siblings = useSiblings(cid, path === '')
  const fullScreen = useFullScreen()
  const below = path.split('/').at(-1) ?? ''
  const title = below !== '' ? markControls(below) : data === undefined ? undefined : nameOf(data)
  useEffect(() => {
    setPlaceTitle(title)
    return () => setPlaceTitle(undefined)
  }, [title])
  return (
    <Modal
      isOpen
      place={fullScreen.isFull ? 'full' : 'right'}
      isPlace
      onClose={() => void navigate({ to: '/files', search: withoutFile(listSearch) })}
      actions={
        <FileHeadActions
          info={path === '' ? data : undefined}
          siblings={path === '' ? siblings : { ...siblings, at: undefined }}
          fullScreen={fullScreen}
        />
      }
      title={<FileName name={title ?? messages.files.details} />}
    >
      {error !== null ? (
        <UnknownFile cid={cid} error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <Skeleton />
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
          <EarlierVersion key={`version ${cid}`} cid={cid} />
          <Tab key={cid} tab={tab} isSharing={share} info={data} />
        </>
      )}
    </Modal>
  )
}

function Tab({
  tab,
  isSharing,
  info,
}: {
  tab: 'preview' | 'details' | 'access' | 'proofs' | 'names'
  isSharing: boolean
  info: FileInfo
}) {
  const { cid } = info
  if (tab === 'details') return <FileDetails info={info} />
  if (tab === 'access') return <FileAccess key={String(isSharing)} isSharing={isSharing} info={info} />
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
function FileAccess({ isSharing, info }: { isSharing: boolean; info: FileInfo }) {
  const { cid, encryption, mimeType } = info
  const { isFolder = false } = useIsFolder(info)
  const navigate = useNavigate()
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
  return (
    <SignInGate>
      {() => (
        <AccessPanel
          key={cid}
          cid={cid}
          name={nameOf(info)}
          isFolder={isFolder}
          isSharing={isSharing}
          onSharing={() =>
            void navigate({
              to: '/files/$cid',
              params: { cid },
              search: (before) => ({ ...before, share: undefined }),
              replace: true,
            })
          }
        />
      )}
    </SignInGate>
  )
}

/** The content of a file: public immediately, encrypted after the key nodes grant access. */
export function FileContent({ info }: { info: FileInfo }) {
  const { cid, encryption, mimeType, fileSizeInBytes, private: isPrivate = false } = info
  return encryption ? (
    <Encrypted key={cid} info={info} />
  ) : (
    <PublicContent
      cid={cid}
      isPrivate={isPrivate}
      name={nameOf(info)}
      mimeType={mimeType}
      sizeBytes={Number(fileSizeInBytes)}
    />
  )
}

function Encrypted({ info }: { info: FileInfo }) {
  const { cid, mimeType, fileSizeInBytes } = info
  const { isFolder, error, refetch } = useIsFolder(info)
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  if (isFolder === undefined) return <Skeleton />
  if (isFolder) {
    return (
      <div className="flex flex-col gap-4">
        <EncryptedFolder info={info} />
        <div>
          <CopyLink cid={cid} isEncrypted />
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
