import { Box, Check, type IconComponent, Inbox, Package, ShieldCheck, TriangleAlert, Truck } from '#icons'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import type { Stage, StageName, StageState } from './pipeline.ts'

const icons: Record<StageName, IconComponent> = {
  received: Inbox,
  packed: Package,
  piece: Box,
  deal: Truck,
  proven: ShieldCheck,
}
const styles: Record<StageState, string> = {
  done: 'border-accent bg-accent text-on-accent',
  now: 'border-accent bg-surface text-accent-ink',
  waiting: 'border-line bg-surface text-ink-faint forced-colors:border-dotted forced-colors:text-[GrayText]',
  fault: 'border-bad bg-bad-soft text-bad',
}

/** The stages from upload to proof: done, in progress, and pending. */
export function Pipeline({ stages }: { stages: readonly Stage[] }) {
  return (
    <section aria-label={messages.proofs.pipeline} className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <ol className="grid gap-y-5 sm:grid-cols-5">
        {stages.map(({ name, state }, index) => {
          const Icon = state === 'fault' ? TriangleAlert : icons[name]
          return (
            <li
              key={name}
              className="relative flex gap-3 sm:flex-col sm:items-center sm:text-center"
              {...(state === 'now' ? { 'aria-current': 'step' } : {})}
            >
              {index === 0 ? undefined : (
                <span
                  aria-hidden="true"
                  className={classNames(
                    'absolute bottom-full left-5 h-5 w-0.5 sm:top-5 sm:right-1/2 sm:left-auto sm:h-0.5 sm:w-full',
                    state === 'waiting'
                      ? 'bg-line forced-colors:bg-[GrayText]'
                      : 'bg-accent forced-colors:bg-[CanvasText]',
                  )}
                />
              )}
              <span
                className={classNames(
                  'relative z-10 grid size-10 shrink-0 place-items-center rounded-full border-2',
                  styles[state],
                  state === 'now' && 'animate-[breathe_1.6s_ease-in-out_infinite]',
                )}
              >
                <Icon aria-hidden="true" size={18} />
                {state === 'done' ? (
                  <span className="absolute -right-1 -bottom-1 grid size-4.5 place-items-center rounded-full border border-line bg-surface text-good">
                    <Check aria-hidden="true" size={11} strokeWidth={3.5} />
                  </span>
                ) : undefined}
              </span>
              <div className="min-w-0 sm:px-2">
                <p className={classNames('font-medium text-sm', state === 'waiting' && 'text-ink-soft')}>
                  {messages.proofs.stages[name]} <span className="sr-only">({messages.proofs.stageStates[state]})</span>
                </p>
                <p className="text-ink-soft text-xs">{messages.proofs.stageHints[name]}</p>
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
