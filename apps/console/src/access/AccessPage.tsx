import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from '#icons'
import { ConditionsSection } from '../conditions/ConditionsSection.tsx'
import { nameOf, useFileInfo } from '../content/use-file-info.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { messages } from '../messages/messages.ts'
import { SignInGate } from '../session/SignInGate.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { AccessPanel } from './AccessPanel.tsx'

/** Access to an encrypted file or folder: its people, its conditions, and the state on each key node. */
export function AccessPage() {
  const { cid } = useParams({ from: '/files/$cid/access' })
  const { share = false } = useSearch({ from: '/files/$cid/access' })
  const navigate = useNavigate()
  const { data } = useFileInfo(cid)
  const { isFolder = false } = useIsFolder({ cid, mimeType: data === undefined ? '' : data.mimeType })
  const name = data === undefined ? cid : nameOf(data)
  return (
    <div className="w-full max-w-2xl">
      <Link
        to="/files/$cid"
        params={{ cid }}
        className="mb-3 inline-flex min-h-6 items-center gap-1.5 text-ink-soft text-sm hover:text-ink"
      >
        <ArrowLeft aria-hidden="true" size={16} />
        {messages.access.backTo(isFolder)}
      </Link>
      <PageHeader
        title={data === undefined || data.fileName === '' ? messages.access.title : messages.access.titleOf(name)}
        hint={<ShortCode text={cid} label={messages.files.copyCid} />}
      />
      <SignInGate>
        {() => (
          <AccessPanel
            key={cid}
            cid={cid}
            name={name}
            isFolder={isFolder}
            conditions={<ConditionsSection cid={cid} name={name} />}
            isSharing={share}
            onSharing={() => void navigate({ to: '/files/$cid/access', params: { cid }, replace: true })}
          />
        )}
      </SignInGate>
    </div>
  )
}
