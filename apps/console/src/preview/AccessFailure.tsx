import { CairnError, type Client, explainAccess } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { Clock, KeyRound, ShieldX } from '#icons'
import { ConditionFindings } from '../conditions/ConditionFindings.tsx'
import { messages } from '../messages/messages.ts'
import { toCairnError } from '../network/query-client.ts'
import { useNetwork } from '../network/use-network.ts'
import { isOfKeyNodes } from '../session/is-of-key-nodes.ts'
import { ReachNodes } from '../session/ReachNodes.tsx'
import { getSession, useSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'

/**
 * Explains why an encrypted file or folder does not open: no access, too few nodes, no key, or a chain that does not answer.
 */
export function AccessFailure({
  cid,
  isFolder = false,
  error,
  title,
  onRetry,
}: {
  cid: string
  isFolder?: boolean
  /** Title of an error that is not about access. */
  title?: string
  error: unknown
  onRetry: () => unknown
}) {
  const { code, details } = toCairnError(error)
  const retry = <Button onClick={() => void onRetry()}>{messages.shell.retry}</Button>
  if (code === 'ACCESS_DENIED') return <Denied cid={cid} isFolder={isFolder} onRetry={onRetry} />
  if (code === 'KEY_NOT_FOUND') {
    return <EmptyState icon={KeyRound} title={messages.access.unknownTitle} hint={messages.access.unknownHint} />
  }
  if (code === 'CONDITION_UNKNOWN') {
    return (
      <EmptyState icon={Clock} title={messages.access.waitTitle} hint={messages.access.waitHint}>
        {retry}
      </EmptyState>
    )
  }
  if (code === 'NOT_ENOUGH_SHARDS') {
    return (
      <div role="alert">
        <EmptyState
          icon={KeyRound}
          title={messages.access.shardsTitle}
          hint={messages.access.shardsHint(shardsOf(details))}
        >
          {retry}
        </EmptyState>
        <div className="mb-6">
          <ReachNodes isExplained onReached={onRetry} />
        </div>
        <NodeAnswers details={details} />
      </div>
    )
  }
  return (
    <ErrorState {...(title === undefined ? {} : { title })} error={error} onRetry={onRetry}>
      {isOfKeyNodes(error) ? <ReachNodes isExplained onReached={onRetry} /> : undefined}
    </ErrorState>
  )
}

/**
 * Shows which address lacks access, and which condition is not met: the nodes explain access to users for their own
 * address.
 */
function Denied({ cid, isFolder, onRetry }: { cid: string; isFolder: boolean; onRetry: () => unknown }) {
  const network = useNetwork()
  const address = useSession()?.address ?? ''
  const { data: answers, error } = useQuery({
    queryKey: ['explain', cid, address],
    queryFn: ({ signal }) => queryNodes(clientOf(network, getSession()), cid, signal),
    staleTime: 0,
  })
  const refusals = answers?.filter(({ verdict }) => !verdict.isAllowed) ?? []
  const data = refusals[0]?.verdict
  const hasConditions = data !== undefined && data.conditions.length > 0
  return (
    <div role="alert" className="flex animate-rise flex-col gap-4">
      <div className="flex flex-col items-center gap-2 text-center">
        <span className="grid size-12 place-items-center rounded-xl bg-bad-soft text-bad">
          <ShieldX aria-hidden="true" size={24} strokeWidth={1.7} />
        </span>
        <h2 className="font-semibold text-lg">{messages.access.deniedTitle(isFolder)}</h2>
        <p className="max-w-md text-ink-soft">
          {data === undefined || hasConditions
            ? messages.access.deniedHint(isFolder)
            : messages.access.deniedNoConditions(isFolder)}{' '}
          {refusals.length === 0 ? '' : messages.access.deniedBy(refusals.map(({ node }) => node))}
        </p>
        <p className="flex flex-wrap items-center justify-center gap-x-2 text-sm">
          {messages.access.deniedAddress}
          <ShortCode text={address} label={messages.session.copyAddress} />
        </p>
        <Button onClick={() => void onRetry()}>{messages.shell.retry}</Button>
      </div>
      {hasConditions ? (
        <ConditionFindings cid={cid} verdict={data} />
      ) : answers === undefined && error === null ? (
        <Skeleton className="h-16 w-full" />
      ) : undefined}
      {error !== null && !CairnError.is(error, 'ACCESS_DENIED') ? <ErrorState error={error} /> : undefined}
    </div>
  )
}

/** Each node decides independently, so all are queried; those that do not answer are omitted. */
async function queryNodes(client: Client, cid: string, signal: AbortSignal) {
  const settled = await Promise.allSettled(
    [1, 2, 3, 4, 5].map(async (node) => ({ node, verdict: await explainAccess(client, cid, { node, signal }) })),
  )
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const [first] = settled
  if (answers.length === 0 && first?.status === 'rejected') throw first.reason
  return answers
}

function shardsOf({ shards }: Record<string, unknown>): number {
  return typeof shards === 'number' ? shards : 0
}

/** What a node answered, in the language of the page. */
function describeAnswer(row: object): string {
  const code = 'code' in row ? row.code : undefined
  if (code === 'NO_SESSION' || code === 'SESSION_EXPIRED') return messages.access.nodeNoSession
  const known = Object.entries(messages.errors).find(([name]) => name === code)?.[1].message
  return known ?? ('message' in row ? String(row.message) : '')
}

/** The answer of each of the five nodes, in the order of their numbers. */
function NodeAnswers({ details: { nodes } }: { details: Record<string, unknown> }) {
  const rows: unknown[] = Array.isArray(nodes) ? nodes : []
  const failures = new Map(
    rows.flatMap((row) =>
      typeof row === 'object' && row !== null && 'node' in row && typeof row.node === 'number'
        ? [[row.node, describeAnswer(row)] as const]
        : [],
    ),
  )
  if (failures.size === 0) return undefined
  const answers = [1, 2, 3, 4, 5].map((node) => ({
    node,
    message: failures.get(node) ?? messages.access.shardsAnswered,
  }))
  return (
    <section className="mx-auto max-w-md">
      <h3 className="mb-2 font-semibold text-sm">{messages.access.shardsNodes}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line text-left text-sm">
        {answers.map(({ node, message }) => (
          <li key={node} className="flex flex-wrap gap-x-3 px-3 py-2">
            <span className="font-medium">{messages.access.node(node)}</span>
            <span className="text-ink-soft">{message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
