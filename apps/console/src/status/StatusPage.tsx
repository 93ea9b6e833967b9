import { CircleCheck, type IconComponent, OctagonX, RefreshCw, TriangleAlert } from '#icons'
import { formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/states/QueryView.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { type Health, type Loss, type Parts, readHealth } from './health.ts'
import { PartList } from './PartList.tsx'
import { useParts } from './use-parts.ts'

/** State of the services of the network, and what it means for users. Public: requires no account. */
export function StatusPage() {
  const network = useNetwork()
  const { data, error, refetch, isFetching, dataUpdatedAt, lastFailures } = useParts()
  return (
    <>
      <PageHeader title={messages.pages.status} hint={messages.status.hint(network.name)}>
        <Button isBusy={isFetching} onClick={() => void refetch()}>
          {isFetching ? undefined : <RefreshCw aria-hidden="true" size={16} />}
          {messages.status.again}
        </Button>
      </PageHeader>
      <QueryView
        query={{ data, error, refetch }}
        skeleton={
          <div className="flex flex-col gap-4">
            <p className="flex items-center gap-2 text-ink-soft">
              <Spinner />
              {messages.status.checking}
            </p>
            <Skeleton className="h-64 w-full" />
          </div>
        }
      >
        {(data) => (
          <div className="flex flex-col gap-6">
            <Summary parts={data} />
            <PartList
              title={messages.status.services}
              parts={[data.storage, data.gateway, ...data.chains]}
              lastFailures={lastFailures}
            />
            <PartList title={messages.status.keyNodes} parts={data.keyNodes} lastFailures={lastFailures} />
            <PartList title={messages.status.providers} parts={data.providers} lastFailures={lastFailures} />
            <p className="text-pretty text-ink-faint text-sm">
              {messages.status.checkedAt(formatDateTime(dataUpdatedAt))}
            </p>
          </div>
        )}
      </QueryView>
    </>
  )
}

const styles: Record<Health, { icon: IconComponent; tone: string; title: () => string }> = {
  good: { icon: CircleCheck, tone: 'border-good bg-good-soft text-good', title: () => messages.status.good },
  degraded: { icon: TriangleAlert, tone: 'border-warn bg-warn-soft text-warn', title: () => messages.status.degraded },
  down: { icon: OctagonX, tone: 'border-bad bg-bad-soft text-bad', title: () => messages.status.down },
}
const lossTexts: Record<Loss, () => string> = {
  storage: () => messages.status.storageDown,
  gateway: () => messages.status.gatewayDown,
  keysDown: () => messages.status.keysDown,
  keysRead: () => messages.status.keysRead,
  chain: () => messages.status.chainDown,
  providers: () => messages.status.providersDown,
}

function Summary({ parts }: { parts: Parts }) {
  const { health, losses, keyNodesUp } = readHealth(parts)
  const { icon: Icon, tone, title } = styles[health]
  const count = 2 + parts.chains.length + parts.keyNodes.length + parts.providers.length
  return (
    <div role="status" className={`flex gap-4 rounded-lg border p-4 ${tone}`}>
      <Icon aria-hidden="true" size={28} className="shrink-0" />
      <div>
        <h2 className="font-semibold text-lg">{title()}</h2>
        {losses.length === 0 ? <p className="text-sm">{messages.status.goodHint(count)}</p> : undefined}
        {losses.map((loss) => (
          <p key={loss} className="text-sm">
            {loss === 'keysRead' || loss === 'keysDown' ? `${messages.status.keysPart(keyNodesUp)} ` : ''}
            {lossTexts[loss]()}
          </p>
        ))}
      </div>
    </div>
  )
}
