import { listKeyFiles } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { useState } from 'react'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import { isAborted } from '../../session/is-aborted.ts'
import { SignInGate } from '../../session/SignInGate.tsx'
import { useKeyClient } from '../../session/use-key-client.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { ShortCode } from '../../ui/ShortCode.tsx'
import { words } from '../../words/words.ts'

/** Encrypted files shared with this account, and by it. */
export function SharedPage() {
  return (
    <SignInGate>
      {() => (
        <>
          <PageHeader title={words.places.sharedTitle} hint={words.places.sharedHint} />
          <SharedFiles />
        </>
      )}
    </SignInGate>
  )
}

function SharedFiles() {
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  const [role, setRole] = useState<'recipient' | 'owner'>('recipient')
  const list = useMutation({
    mutationFn: async (wanted: 'recipient' | 'owner') => Array.fromAsync(listKeyFiles(await needKeyClient(), wanted)),
  })
  if (network.keyRouter === undefined && network.keyNodes === undefined) {
    return <EmptyState icon={Users} title={words.places.noKeyNodes} hint={words.places.noKeyNodesHint} />
  }
  const show = (wanted: 'recipient' | 'owner') => {
    setRole(wanted)
    list.mutate(wanted)
  }
  if (list.data === undefined) {
    return (
      <>
        {list.error === null || isAborted(list.error) ? (
          <EmptyState icon={Users} title={words.places.sharedTitle} hint={words.places.sharedAsk}>
            <Button kind="primary" isBusy={list.isPending} onClick={() => show(role)}>
              {words.places.sharedShow}
            </Button>
          </EmptyState>
        ) : (
          <ErrorState error={list.error} onRetry={() => show(role)} />
        )}
      </>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <Segments
        label={words.places.sharedTitle}
        value={role}
        options={[
          { value: 'recipient', label: words.places.sharedWithMe },
          { value: 'owner', label: words.places.sharedByMe },
        ]}
        onChange={show}
      />
      {list.data.length === 0 ? (
        <EmptyState icon={Users} title={words.places.sharedNone} hint={words.places.sharedNoneHint} />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {list.data.map(({ cid }) => (
            <li key={cid} className="flex items-center justify-between gap-3 px-4 py-2">
              <Link to="/open/$cid" params={{ cid }} className="font-medium text-accent-ink text-sm hover:underline">
                {words.files.open}
              </Link>
              <ShortCode text={cid} label={words.files.copyCid} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
