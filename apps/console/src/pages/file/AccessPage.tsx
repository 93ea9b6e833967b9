import { getKeyStatus } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { isAborted } from '../../session/is-aborted.ts'
import { SignInGate } from '../../session/SignInGate.tsx'
import { useKeyClient } from '../../session/use-key-client.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { ShortCode } from '../../ui/ShortCode.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { words } from '../../words/words.ts'

/** Who can open an encrypted file, and what each key node holds. */
export function AccessPage() {
  return <SignInGate>{() => <Access />}</SignInGate>
}

function Access() {
  const { cid } = useParams({ from: '/files/$cid/access' })
  const needKeyClient = useKeyClient()
  const look = useMutation({ mutationFn: async () => getKeyStatus(await needKeyClient(), cid) })
  const { data, error, isPending, mutate } = look
  return (
    <div className="mx-auto w-full max-w-2xl">
      <PageHeader title={words.places.accessTitle} hint={<ShortCode text={cid} label={words.files.copyCid} />} />
      {data === undefined ? (
        error === null || isAborted(error) ? (
          <EmptyState icon={Users} title={words.places.accessTitle} hint={words.session.keysHint}>
            <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
              {words.places.accessShow}
            </Button>
          </EmptyState>
        ) : (
          <ErrorState error={error} onRetry={() => mutate()} />
        )
      ) : (
        <dl className="flex flex-col gap-5">
          <div>
            <dt className="text-ink-soft text-sm">{words.places.accessOwner}</dt>
            <dd>{data.agreed === undefined ? '–' : <ShortCode text={data.agreed.owner} />}</dd>
          </div>
          <div>
            <dt className="text-ink-soft text-sm">{words.places.accessShared}</dt>
            <dd>
              {(data.agreed?.sharedTo.length ?? 0) === 0
                ? words.places.accessNobody
                : data.agreed?.sharedTo.map((address) => <ShortCode key={address} text={address} />)}
            </dd>
          </div>
          <div>
            <dt className="mb-1 text-ink-soft text-sm">{words.places.accessNodes}</dt>
            <dd className="flex flex-wrap gap-2">
              {data.nodes.map(({ node, error: fault, isAgreed }) => (
                <Tag key={node} tone={isAgreed ? 'good' : 'bad'}>
                  {words.places.accessNode(node)}: {fault === undefined ? words.places.accessAgrees : fault.message}
                </Tag>
              ))}
            </dd>
          </div>
        </dl>
      )}
    </div>
  )
}
