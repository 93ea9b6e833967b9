import { Download, ExternalLink, Link2 } from '#icons'
import { type ContentPlace, useContentUrl } from '../content/content-url.ts'
import type { FileInfo } from '../content/use-file-info.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { usePlainSize } from '../content/use-plain-size.ts'
import { useOwnFile } from '../drive-index/own-files.ts'
import { formatBytes, formatCount, formatDateTime } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { expectDownload } from '../transfers/expected-download.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { copyOpenLink } from './copy-open-link.ts'
import { SignLinkButton } from './SignLinkDialog.tsx'

/** Details of a file. */
export function FileDetails({ info }: { info: FileInfo }) {
  const { cid, fileName, fileSizeInBytes, mimeType, encryption, private: isPrivate = false } = info
  const storedBytes = Number(fileSizeInBytes)
  const { isFolder } = useIsFolder(info)
  const own = useOwnFile(cid)
  const added = own?.versions.find((one) => one.cid === cid)?.at
  const size = usePlainSize({ cid, sizeBytes: storedBytes, isEncrypted: encryption, isFolder })
  const rows = [
    ...(fileName === '' ? [] : [[messages.places.detailsName, markControls(fileName)] as const]),
    ...(encryption
      ? ([
          [messages.places.detailsSize, size ?? '…'],
          [messages.places.detailsStored, exactBytes(storedBytes)],
        ] as const)
      : ([[messages.places.detailsSize, exactBytes(storedBytes)]] as const)),
    [messages.places.detailsType, isFolder ? messages.files.folder : (mimeType ?? messages.files.unknownType)],
    ...(added === undefined ? [] : [[messages.files.added, formatDateTime(added)] as const]),
    ...(own === undefined ? [] : [[messages.places.detailsFolder, folderOf(own.path)] as const]),
    [
      messages.places.detailsAccess,
      encryption
        ? messages.preview.encryptedNote
        : isPrivate
          ? messages.preview.privateNote
          : messages.preview.publicNote,
    ],
    ...(own?.isReceived === true ? [[messages.places.detailsOrigin, messages.places.detailsReceived] as const] : []),
  ] as const
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-[auto_1fr] gap-x-8 gap-y-2.5 text-sm">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
        <dt className="self-center text-ink-soft">{messages.places.detailsCid}</dt>
        <dd>
          <ShortCode text={cid} label={messages.files.copyCid} />
        </dd>
      </dl>
      <div className="flex flex-wrap gap-2">
        {encryption ? undefined : (
          <PublicLinks
            cidPath={cid}
            isPrivate={isPrivate}
            name={fileName === '' ? cid : fileName}
            isFolder={isFolder === true}
          />
        )}
        {isPrivate ? (
          <SignLinkButton cidPath={cid} name={fileName === '' ? cid : fileName} mimeType={mimeType} />
        ) : (
          <CopyLink cid={cid} isEncrypted={encryption} />
        )}
      </div>
    </div>
  )
}

/** Addresses of a public file outside the console. */
export function PublicLinks({
  cidPath,
  isPrivate,
  name,
  isFolder = false,
}: ContentPlace & { name: string; isFolder?: boolean }) {
  const { urlOf, error, refetch } = useContentUrl({ cidPath, isPrivate })
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  return (
    <>
      <a
        href={urlOf({ download: true, filename: name, isFolder })}
        onClick={expectDownload}
        className={buttonClass('plain')}
      >
        <Download aria-hidden="true" size={16} />
        {isFolder ? messages.places.openDownloadTar : messages.places.openDownload}
      </a>
      <a
        href={urlOf(isFolder ? {} : { filename: name })}
        target="_blank"
        rel="noreferrer"
        className={buttonClass('plain')}
      >
        <ExternalLink aria-hidden="true" size={16} />
        {messages.places.openGateway}
      </a>
    </>
  )
}

/** Copies the address at which other people open the file. */
export function CopyLink({ cid, isEncrypted = false }: { cid: string; isEncrypted?: boolean }) {
  return (
    <Button onClick={() => void copyOpenLink(cid, isEncrypted)}>
      <Link2 aria-hidden="true" size={16} />
      {messages.access.copyLink}
    </Button>
  )
}

/** The folder of a path, as the lists name it. */
function folderOf(path: string): string {
  return markControls(path.slice(0, path.lastIndexOf('/'))) || messages.drive.root
}

function exactBytes(bytes: number): string {
  return `${formatBytes(bytes)}${bytes < 1024 ? '' : ` (${formatCount(bytes)} B)`}`
}
