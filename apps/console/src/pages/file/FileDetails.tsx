import { Download, ExternalLink, Link2 } from '#icons'
import type { FileInfo } from '../../files/use-file-info.ts'
import { gatewayUrl } from '../../network/gateway-url.ts'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { ShortCode } from '../../ui/ShortCode.tsx'
import { toastDone } from '../../ui/toast-store.ts'
import { formatBytes, formatCount } from '../../words/format.ts'
import { markControls } from '../../words/mark-controls.ts'
import { words } from '../../words/words.ts'

/** What is known of a file. */
export function FileDetails({ info }: { info: FileInfo }) {
  const { cid, fileName, fileSizeInBytes, mimeType, encryption } = info
  const sizeBytes = Number(fileSizeInBytes)
  const rows = [
    ...(fileName === '' ? [] : [[words.places.detailsName, markControls(fileName)] as const]),
    [words.places.detailsSize, `${formatBytes(sizeBytes)}${sizeBytes < 1024 ? '' : ` (${formatCount(sizeBytes)} B)`}`],
    [words.places.detailsType, mimeType ?? words.files.unknownType],
    [words.places.detailsAccess, encryption ? words.preview.encryptedNote : words.preview.publicNote],
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
        <dt className="self-center text-ink-soft">{words.places.detailsCid}</dt>
        <dd>
          <ShortCode text={cid} label={words.files.copyCid} />
        </dd>
      </dl>
      <div className="flex flex-wrap gap-2">
        {encryption ? undefined : <PublicLinks cidPath={cid} name={fileName === '' ? cid : fileName} />}
        <CopyLink cid={cid} />
      </div>
    </div>
  )
}

/** Ways to a public file outside of the console. */
export function PublicLinks({ cidPath, name }: { cidPath: string; name: string }) {
  const network = useNetwork()
  return (
    <>
      <a href={gatewayUrl(network, cidPath, { download: true, filename: name })} className={buttonClass('plain')}>
        <Download aria-hidden="true" size={16} />
        {words.places.openDownload}
      </a>
      <a
        href={gatewayUrl(network, cidPath, { filename: name })}
        target="_blank"
        rel="noreferrer"
        className={buttonClass('plain')}
      >
        <ExternalLink aria-hidden="true" size={16} />
        {words.places.openGateway}
      </a>
    </>
  )
}

/** Copies the address under which others open the file. */
export function CopyLink({ cid }: { cid: string }) {
  return (
    <Button
      onClick={async () => {
        await navigator.clipboard.writeText(`${location.origin}/open/${cid}`)
        toastDone(words.files.linkCopied)
      }}
    >
      <Link2 aria-hidden="true" size={16} />
      {words.access.copyLink}
    </Button>
  )
}
