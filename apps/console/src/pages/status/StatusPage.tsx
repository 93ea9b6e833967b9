import { CircleCheck, type IconComponent, OctagonX, RefreshCw, TriangleAlert } from '#icons'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import { type Health, type Loss, type Parts, readHealth } from '../../status/health.ts'
import { useParts } from '../../status/use-parts.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { formatDateTime } from '../../words/format.ts'
import { words } from '../../words/words.ts'
import { PartList } from './PartList.tsx'

/** How the network's parts are, and what that means for its users. For anybody: no account is needed. */
export function StatusPage() {
  const network = useNetwork()
  const { data, error, refetch, isFetching, dataUpdatedAt, lastFaults } = useParts()
  return (
    <>
      <PageHeader title={words.status.title} hint={words.status.hint(network.name)}>
        <Button isBusy={isFetching} onClick={() => void refetch()}>
          {isFetching ? undefined : <RefreshCw aria-hidden="true" size={16} />}
          {words.status.again}
        </Button>
      </PageHeader>
      {data === undefined ? (
        error === null ? (
          <div className="flex flex-col gap-4">
            <p className="flex items-center gap-2 text-ink-soft">
              <Spinner />
              {words.status.looking}
            </p>
            <Skeleton className="h-64 w-full" />
          </div>
        ) : (
          <ErrorState error={error} onRetry={() => refetch()} />
        )
      ) : (
        <div className="flex flex-col gap-6">
          <Summary parts={data} />
          <PartList
            title={words.status.services}
            parts={[data.storage, data.gateway, ...data.chains]}
            lastFaults={lastFaults}
          />
          <PartList title={words.status.keyNodes} parts={data.keyNodes} lastFaults={lastFaults} />
          <PartList title={words.status.providers} parts={data.providers} lastFaults={lastFaults} />
          <p className="text-ink-faint text-sm">{words.status.checkedAt(formatDateTime(dataUpdatedAt))}</p>
        </div>
      )}
    </>
  )
}

const looks: Record<Health, { icon: IconComponent; tone: string; title: string }> = {
  good: { icon: CircleCheck, tone: 'border-good bg-good-soft text-good', title: words.status.good },
  degraded: { icon: TriangleAlert, tone: 'border-warn bg-warn-soft text-warn', title: words.status.degraded },
  down: { icon: OctagonX, tone: 'border-bad bg-bad-soft text-bad', title: words.status.down },
}
const lossTexts: Record<Loss, string> = {
  storage: words.status.storageDown,
  gateway: words.status.gatewayDown,
  keysDown: words.status.keysDown,
  keysRead: words.status.keysRead,
  chain: words.status.chainDown,
  providers: words.status.providersDown,
}

function Summary({ parts }: { parts: Parts }) {
  const { health, losses, keyNodesUp } = readHealth(parts)
  const { icon: Icon, tone, title } = looks[health]
  const count = 2 + parts.chains.length + parts.keyNodes.length + parts.providers.length
  return (
    <div role="status" className={`flex gap-4 rounded-lg border p-4 ${tone}`}>
      <Icon aria-hidden="true" size={28} className="shrink-0" />
      <div>
        <h2 className="font-semibold text-lg">{title}</h2>
        {losses.length === 0 ? <p className="text-sm">{words.status.goodHint(count)}</p> : undefined}
        {losses.map((loss) => (
          <p key={loss} className="text-sm">
            {loss === 'keysRead' || loss === 'keysDown' ? `${words.status.keysPart(keyNodesUp)} ` : ''}
            {lossTexts[loss]}
          </p>
        ))}
      </div>
    </div>
  )
}
