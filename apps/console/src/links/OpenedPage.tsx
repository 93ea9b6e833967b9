import { CairnError, type OpenedLink } from '@cairn/sdk'
import { useState } from 'react'
import { nameOf, useFileInfo } from '../content/use-file-info.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { usePlainSize } from '../content/use-plain-size.ts'
import { formatBytes } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { LinkFacts } from './LinkFacts.tsx'
import { LinkFile } from './LinkFile.tsx'
import { LinkFolder } from './LinkFolder.tsx'
import { LinkProblem } from './LinkProblem.tsx'
import { useLinkFolder } from './use-link-folder.ts'

/** The file or folder that a link opened. */
export function OpenedPage({ link }: { link: OpenedLink }) {
  const { cid, masterKey, name: given } = link
  const { data: info, error, refetch } = useFileInfo(cid)
  const data = useLast(info)
  const folder = useIsFolder({ cid, mimeType: data?.mimeType ?? null })
  const knownFolder = useLast(folder.isFolder)
  const name = given === undefined ? undefined : markControls(given)
  const shown = name ?? (data === undefined ? messages.linkPage.title : nameOf(data))
  const failure = data === undefined ? error : knownFolder === undefined ? folder.error : null
  const sizeBytes = data === undefined ? undefined : Number(data.fileSizeInBytes)
  const isFolder = knownFolder === true
  const size = usePlainSize({ cid, sizeBytes, isEncrypted: true, isFolder: knownFolder })
  const opened = useLinkFolder(cid, masterKey, isFolder).data
  const folderSize = opened === undefined ? undefined : formatBytes(totalOf(opened.files))
  // The link lasts longer than its file.
  if (CairnError.is(error, 'NOT_FOUND')) {
    return (
      <LinkProblem
        error={error}
        onRetry={refetch}
        texts={{ ...messages.linkPage, notFound: messages.linkPage.deleted }}
      />
    )
  }
  return (
    <>
      <PageHeader title={shown} />
      <div className="mb-5">
        <LinkFacts info={link} size={folderSize ?? size ?? '…'} />
      </div>
      {failure !== null ? (
        <ErrorState error={failure} onRetry={() => (data === undefined ? refetch() : folder.refetch())} />
      ) : data === undefined || sizeBytes === undefined || knownFolder === undefined ? (
        <Skeleton />
      ) : isFolder ? (
        <LinkFolder cid={cid} name={shown} masterKey={masterKey} />
      ) : (
        <LinkFile {...{ cid, masterKey, sizeBytes }} name={shown} mimeType={data.mimeType} />
      )}
    </>
  )
}

/**
 * Returns the last known value. When the session of an account ends in any tab, the page removes what it has loaded; the content
 * of an opened link stays, because opening the link again would count.
 */
function useLast<Value extends object | boolean>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}

function totalOf(files: readonly { sizeBytes: number }[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
