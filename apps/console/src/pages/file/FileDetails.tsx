import { decryptBytes } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { Download, ExternalLink, LockKeyhole } from 'lucide-react'
import { gatewayUrl } from '../../network/gateway-url.ts'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import { isAborted } from '../../session/is-aborted.ts'
import { useSession } from '../../session/session-store.ts'
import { useKeyClient } from '../../session/use-key-client.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { ShortCode } from '../../ui/ShortCode.tsx'
import { openWalletDialog } from '../../wallet/wallet-dialog-store.ts'
import { formatBytes } from '../../words/format.ts'
import { words } from '../../words/words.ts'

type Info = { cid: string; fileName: string; fileSizeInBytes: string; mimeType: string | null; encryption: boolean }

/** What is known of a file, and the ways to get it. */
export function FileDetails({ info }: { info: Info }) {
  const { cid, fileName, fileSizeInBytes, mimeType, encryption } = info
  const network = useNetwork()
  const rows = [
    [words.places.detailsSize, formatBytes(Number(fileSizeInBytes))],
    [words.places.detailsType, mimeType ?? words.files.unknownType],
    [words.places.detailsAccess, encryption ? words.files.encryptedTag : words.files.publicTag],
  ] as const
  return (
    <div className="flex flex-col gap-6">
      {encryption ? (
        <Decrypt cid={cid} fileName={fileName} />
      ) : (
        <p className="flex flex-wrap gap-2">
          <a
            href={gatewayUrl(network, cid, fileName === '' ? {} : { filename: fileName })}
            target="_blank"
            rel="noreferrer"
            className={buttonClass('primary')}
          >
            <ExternalLink aria-hidden="true" size={16} />
            {words.places.openGateway}
          </a>
          <a
            href={gatewayUrl(network, cid, { download: true, filename: fileName === '' ? cid : fileName })}
            className={buttonClass('plain')}
          >
            <Download aria-hidden="true" size={16} />
            {words.places.openDownload}
          </a>
        </p>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-8 gap-y-2.5 text-sm">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <dt className="self-center text-ink-soft">{words.places.detailsCid}</dt>
        <dd>
          <ShortCode text={cid} label={words.files.copyCid} />
        </dd>
      </dl>
    </div>
  )
}

/** Decrypts here and saves: nothing of the content is shown in our origin. */
function Decrypt({ cid, fileName }: { cid: string; fileName: string }) {
  const session = useSession()
  const needKeyClient = useKeyClient()
  const open = useMutation({
    mutationFn: async () => new Uint8Array(await decryptBytes(await needKeyClient(), cid)),
    onSuccess: (bytes) => saveBytes(bytes, fileName === '' ? cid : fileName),
  })
  return (
    <div className="flex flex-col items-start gap-3 rounded-lg bg-sunken p-4">
      <p className="flex items-center gap-2 font-medium">
        <LockKeyhole aria-hidden="true" size={18} />
        {words.places.openEncrypted}
      </p>
      {session === undefined ? (
        <>
          <p className="text-ink-soft text-sm">{words.places.openEncryptedHint}</p>
          <Button kind="primary" onClick={openWalletDialog}>
            {words.session.connect}
          </Button>
        </>
      ) : (
        <Button kind="primary" isBusy={open.isPending} onClick={() => open.mutate()}>
          {open.isPending ? words.places.openDecrypting : words.places.openSave}
        </Button>
      )}
      {open.error !== null && !isAborted(open.error) ? <ErrorState error={open.error} /> : undefined}
    </div>
  )
}

/** Hands bytes to the browser as a download. The type is fixed: nothing of it can run here. */
function saveBytes(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
