import { useParams } from '@tanstack/react-router'
import { Globe, Lock, UserRound } from '#icons'
import { UnknownFile } from '../content/UnknownFile.tsx'
import { type FileInfo, nameOf, useFileInfo } from '../content/use-file-info.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { usePlainSize } from '../content/use-plain-size.ts'
import { messages } from '../messages/messages.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { FileContent } from './FilePage.tsx'
import { accessOf } from './listed-file.ts'

/** The page behind a shared link: a public file immediately, an encrypted one with the wallet it was shared with. */
export function OpenPage() {
  const { cid } = useParams({ from: '/open/$cid' })
  const { data, error, refetch } = useFileInfo(cid)
  return (
    <div className="mx-auto w-full max-w-2xl">
      <PageHeader title={data === undefined ? messages.places.openTitle : nameOf(data)} />
      {error !== null ? (
        <UnknownFile cid={cid} error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <Skeleton />
      ) : (
        <>
          <p className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-soft text-sm">
            <Tag icon={data.encryption ? Lock : data.private ? UserRound : Globe}>
              {messages.files.access[accessOf(data)]}
            </Tag>
            <ContentSize info={data} />
            <ShortCode text={cid} label={messages.files.copyCid} />
          </p>
          <FileContent info={data} />
        </>
      )}
    </div>
  )
}

function ContentSize({ info }: { info: FileInfo }) {
  const { cid, fileSizeInBytes, encryption } = info
  const { isFolder } = useIsFolder(info)
  const size = usePlainSize({ cid, sizeBytes: Number(fileSizeInBytes), isEncrypted: encryption, isFolder })
  return <span className="tabular">{size ?? '…'}</span>
}
