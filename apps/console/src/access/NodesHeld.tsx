import { CairnError, type KeyReport } from '@cairn/sdk'
import { CircleAlert, CircleCheck, CircleDashed, CircleX } from '#icons'
import { describeError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'

type Node = KeyReport['nodes'][number]

/** Shows the state on each of the five key nodes: a dot with its own shape and colour, and the same in words. */
export function NodesHeld({ nodes }: { nodes: readonly Node[] }) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {nodes.map((node) => (
        <li key={node.node} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-2 text-sm">
          <Dot node={node} />
          <span className="font-medium">{messages.access.node(node.node)}</span>
          <span className="min-w-0 flex-1 basis-40 text-ink-soft sm:text-right">{describe(node)}</span>
        </li>
      ))}
    </ul>
  )
}

function Dot({ node: { error, isAgreed, status } }: { node: Node }) {
  const common = { 'aria-hidden': true, size: 18 } as const
  if (error !== undefined && lacksSession({ error })) return messages.access.nodeNoSession
  if (error !== undefined) return <CircleX {...common} className="shrink-0 text-bad" />
  if (!isAgreed) return <CircleAlert {...common} className="shrink-0 text-warn" />
  if (status?.state === 'pending') return <CircleDashed {...common} className="shrink-0 text-warn" />
  return <CircleCheck {...common} className="shrink-0 text-good" />
}

function describe({ error, status, isAgreed }: Node): string {
  if (CairnError.is(error, 'KEY_NOT_FOUND')) return messages.access.nodeWithout
  if (error !== undefined) return describeError(error).message
  if (status === undefined) return ''
  if (!isAgreed) return messages.access.nodeOther(status.version)
  return status.state === 'pending' ? messages.access.nodePending : messages.access.nodeGood(status.version)
}

/** Whether the session lacks this node, so that a signature reaches it again. */
function lacksSession({ error }: Pick<Node, 'error'>): boolean {
  return CairnError.is(error, 'NO_SESSION') || CairnError.is(error, 'SESSION_EXPIRED')
}
