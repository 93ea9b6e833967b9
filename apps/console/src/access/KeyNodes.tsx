import { type KeyReport, repairKey } from '@cairn/sdk'
import { Wrench } from '#icons'
import type { KeyChange } from '../key-changes/use-key-change.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { ReachNodes } from '../session/ReachNodes.tsx'
import { Button } from '../ui/Button.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { Tag } from '../ui/values/Tag.tsx'
import { NodesHeld } from './NodesHeld.tsx'
import { Section } from './Section.tsx'

const tones = { whole: 'good', usable: 'warn', split: 'bad' } as const

/** The state on each key node, and its repair. */
export function KeyNodes({
  report: { cid, health, nodes },
  name,
  isChanging,
  start,
}: {
  report: KeyReport
  name: string
  isChanging: boolean
  start: (change: KeyChange) => Promise<void>
}) {
  const repair = async () => {
    const failedName = messages.access.failedRepair(name)
    try {
      await start({
        name: messages.access.pendingRepair(name),
        doneName: messages.access.doneRepair(name),
        failedName,
        run: (client, { signal }) => repairKey(client, cid, signal === undefined ? {} : { signal }),
      })
    } catch (failure) {
      if (!isAborted(failure)) toastError(failedName, failure)
    }
  }
  return (
    <Section title={messages.access.nodes} action={<Tag tone={tones[health]}>{messages.access.health[health]}</Tag>}>
      <p className="mb-2 text-ink-soft text-sm">{messages.access.nodesHint}</p>
      <NodesHeld nodes={nodes} />
      {health === 'whole' ? undefined : (
        <div className="mt-3 flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
          <p className="min-w-0 flex-1 basis-56">{messages.access.healthHint[health]}</p>
          <ReachNodes />
          <Button size="small" isBusy={isChanging} onClick={() => void repair()}>
            <Wrench aria-hidden="true" size={16} />
            {messages.access.repair}
          </Button>
        </div>
      )}
    </Section>
  )
}
