import { CairnError, isFolder } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { FileQuestion, Globe } from '#icons'
import { AccessPanel } from '../../access/AccessPanel.tsx'
import { type FileInfo, nameOf, useFileInfo } from '../../files/use-file-info.ts'
import { EncryptedContent } from '../../preview/EncryptedContent.tsx'
import { SignInGate } from '../../session/SignInGate.tsx'
import { useClient } from '../../session/use-client.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { words } from '../../words/words.ts'
import { EncryptedFolder } from './EncryptedFolder.tsx'
import { CopyLink, FileDetails } from './FileDetails.tsx'
import { FileTabs } from './FileTabs.tsx'
import { FolderPath } from './FolderView.tsx'
import { PublicContent } from './PublicContent.tsx'

/** One file over the list: Back and Escape return to the list as it was. */
export function FilePage() {
  const { cid = '', _splat: path = '' } = useParams({ strict: false })
  const { tab = 'preview' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const listSearch = useSearch({ from: '/files' })
  const { data, error, refetch } = useFileInfo(cid)
  const below = path.split('/').at(-1) ?? ''
  return (
    <Modal
      isOpen
      place="right"
      isPlace
      onClose={() => void navigate({ to: '/files', search: listSearch })}
      title={<FileName name={below !== '' ? below : data === undefined ? words.files.details : nameOf(data)} />}
    >
      {error !== null ? (
        <UnknownFile error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : path !== '' ? (
        <>
          <FolderPath cid={cid} path={path} rootName={nameOf(data)} />
          {data.encryption ? (
            <EncryptedFolder cid={cid} path={path} />
          ) : (
            <PublicContent cid={cid} path={path} name={below} mimeType={null} />
          )}
        </>
      ) : (
        <>
          <FileTabs cid={cid} shown={tab} />
          <Tab tab={tab} info={data} />
        </>
      )}
    </Modal>
  )
}

/** A CID that this service does not keep is no fault: it may be kept elsewhere. */
export function UnknownFile({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  if (CairnError.is(error, 'NOT_FOUND')) {
    return <EmptyState icon={FileQuestion} title={words.preview.notFoundTitle} hint={words.preview.notFoundHint} />
  }
  return <ErrorState error={error} onRetry={onRetry} />
}

function Tab({ tab, info }: { tab: 'preview' | 'details' | 'access' | 'proofs' | 'names'; info: FileInfo }) {
  const { cid, encryption } = info
  if (tab === 'details') return <FileDetails info={info} />
  if (tab === 'access') {
    if (!encryption) {
      return (
        <EmptyState icon={Globe} title={words.preview.publicAccessTitle} hint={words.preview.publicAccessHint}>
          <CopyLink cid={cid} />
        </EmptyState>
      )
    }
    return <SignInGate>{() => <AccessPanel key={cid} cid={cid} name={nameOf(info)} />}</SignInGate>
  }
  if (tab === 'proofs') {
    return (
      <Elsewhere title={words.preview.proofsTitle} hint={words.preview.proofsHint}>
        <Link to="/proofs/$cid" params={{ cid }} className={buttonClass('primary')}>
          {words.preview.proofsGo}
        </Link>
      </Elsewhere>
    )
  }
  if (tab === 'names') {
    return (
      <Elsewhere title={words.preview.namesTitle} hint={words.preview.namesHint}>
        <Link to="/names" search={{ publish: cid }} className={buttonClass('primary')}>
          {words.preview.namesGo}
        </Link>
      </Elsewhere>
    )
  }
  return <FileContent info={info} />
}

/** The content of a file: public at once, encrypted after the key nodes said yes. */
export function FileContent({ info }: { info: FileInfo }) {
  const { cid, encryption, mimeType } = info
  return encryption ? (
    <Encrypted key={cid} info={info} />
  ) : (
    <PublicContent cid={cid} name={nameOf(info)} mimeType={mimeType} />
  )
}

function Encrypted({ info }: { info: FileInfo }) {
  const { cid, mimeType, fileSizeInBytes } = info
  const client = useClient()
  // Folders have no type; of what has one, nothing need be asked.
  const mayBeFolder = mimeType === null
  const {
    data: isOneFolder = mayBeFolder ? undefined : false,
    error,
    refetch,
  } = useQuery({
    queryKey: ['is-folder', cid],
    queryFn: ({ signal }) => isFolder(client, cid, { signal }),
    enabled: mayBeFolder,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  if (isOneFolder === undefined) return <Skeleton className="h-40 w-full" />
  if (isOneFolder) return <EncryptedFolder cid={cid} />
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
