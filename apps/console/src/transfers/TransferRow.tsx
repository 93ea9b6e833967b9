import { memo } from 'react'
import {
  CircleAlert,
  CircleCheck,
  CirclePause,
  CircleSlash,
  Download,
  File,
  KeyRound,
  Lock,
  Pause,
  PencilLine,
  Play,
  RotateCcw,
  X,
} from '#icons'
import { explainError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'
import { isOfKeyNodes } from '../session/is-of-key-nodes.ts'
import { ReachNodes } from '../session/ReachNodes.tsx'
import { Button } from '../ui/Button.tsx'
import { classNames } from '../ui/class-names.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { ProgressBar } from '../ui/states/ProgressBar.tsx'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { ChooseButton } from './ChooseButton.tsx'
import { findNextStep } from './next-step.ts'
import { isPausedByUser } from './pause-all.ts'
import {
  cancelTransfer,
  continueTransfer,
  isActive,
  isPartlyDone,
  isPausable,
  type NodeState,
  pauseTransfer,
  removeTransfer,
  renameTransfer,
  retryTransfer,
  type Transfer,
} from './transfer-store.ts'

/** One transfer: its title, state, rate, and actions. */
export const TransferRow = memo(function TransferRow({ transfer }: { transfer: Transfer }) {
  const { id, name, stage, error, cid, nodes } = transfer
  const active = isActive(transfer)
  const next = findNextStep(transfer)
  return (
    <li className="flex gap-3 py-2.5 pr-2 pl-4">
      <StageIcon transfer={transfer} />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium text-sm" title={name}>
          <bdi>{name}</bdi>
        </p>
        {active && nodes === undefined ? (
          <div className="my-1.5">
            <ProgressBar label={messages.transfers.progressOf(name)} value={progressOf(transfer)} />
          </div>
        ) : undefined}
        {nodes === undefined ? undefined : <NodeDots nodes={nodes} />}
        <p className={classNames('text-sm', error === undefined ? 'text-ink-soft' : 'text-bad')}>
          {error === undefined ? describe(transfer) : explainError(error)}
        </p>
        {lacksNodes(transfer) ? (
          <div className="mt-1.5 flex">
            <ReachNodes isExplained onReached={() => retryTransfer(id)} />
          </div>
        ) : undefined}
        {stage === 'paused' && transfer.need !== 'resume' && transfer.need !== 'session' ? (
          <GoOn transfer={transfer} />
        ) : undefined}
      </div>
      <div className="flex items-start">
        {cid === undefined ? undefined : <CopyButton text={cid} size="small" label={messages.files.copyCid} />}
        {next === 'rename' ? (
          <IconButton
            icon={PencilLine}
            size="small"
            label={messages.transfers.rename(name)}
            onClick={() => renameTransfer(id)}
          />
        ) : next === 'retry' ? (
          <IconButton
            icon={RotateCcw}
            size="small"
            label={messages.transfers.retry(name)}
            onClick={() => void retryTransfer(id)}
          />
        ) : undefined}
        {isPausable(transfer) ? (
          <IconButton
            icon={Pause}
            size="small"
            label={messages.transfers.pause(name)}
            onClick={() => pauseTransfer(id)}
          />
        ) : isPausedByUser(transfer) ? (
          <IconButton
            icon={Play}
            size="small"
            label={messages.transfers.continue(name)}
            onClick={() => void continueTransfer(id)}
          />
        ) : undefined}
        {active ? (
          <IconButton
            icon={X}
            size="small"
            label={messages.transfers.cancel(name)}
            onClick={() => cancelTransfer(id)}
          />
        ) : (
          <IconButton
            icon={X}
            size="small"
            label={messages.transfers.remove(name)}
            onClick={() => removeTransfer(id)}
          />
        )}
      </div>
    </li>
  )
})

/** Returns whether a retry may succeed after a sign-in at the key nodes that the session lacks. */
function lacksNodes(transfer: Transfer): boolean {
  return (transfer.stage === 'failed' && isOfKeyNodes(transfer.error)) || isPartlyDone(transfer)
}

/** A queued transfer has not started, so its bar is empty. */
function progressOf(transfer: Transfer): number | undefined {
  const { stage, bytes, totalBytes } = transfer
  if (stage === 'waiting') return 0
  return hasBytes(transfer) && totalBytes !== undefined && totalBytes > 0 ? bytes / totalBytes : undefined
}

function hasBytes({ stage }: Transfer): boolean {
  return (
    stage === 'checking' || stage === 'encrypting' || stage === 'sending' || stage === 'saving' || stage === 'offline'
  )
}

function describe(transfer: Transfer): string {
  const { stage, kind, bytes, totalBytes, bytesPerSecond, remainingMs } = transfer
  if (stage === 'done') return messages.transfers.done[kind]
  if (stage === 'failed') return ''
  if (stage === 'paused') return describePaused(transfer)
  const text = messages.transfers[stage]
  if (!hasBytes(transfer) || totalBytes === undefined || totalBytes === 0) return text
  return [
    text,
    messages.transfers.bytes(bytes, totalBytes),
    ...(bytesPerSecond > 0 ? [messages.transfers.speed(bytesPerSecond)] : []),
    ...(remainingMs !== undefined && remainingMs > 0 ? [messages.transfers.remaining(remainingMs)] : []),
  ].join(' · ')
}

function describePaused({ need, bytes, totalBytes, isEncrypted }: Transfer): string {
  if (need === 'resume') return messages.transfers.pausedByUser
  if (need === 'session') {
    const isSent = totalBytes !== undefined && totalBytes > 0 && bytes >= totalBytes
    return isSent ? messages.transfers.pausedSent : messages.transfers.pausedSession
  }
  if (need === 'repair') return messages.transfers.pausedChange
  const { pausedContinue, pausedChoose, pausedChooseWhole, pausedRestart } = messages.transfers
  if (isEncrypted) return `${pausedRestart} ${need === 'continue' ? pausedContinue : pausedChooseWhole}`
  const how = need === 'continue' ? pausedContinue : pausedChoose
  return bytes > 0 && totalBytes !== undefined
    ? `${messages.transfers.pausedAt(bytes, totalBytes)} ${how}`
    : `${messages.transfers.paused}. ${how}`
}

/** The button that resumes it. */
function GoOn({ transfer: { id, name, need } }: { transfer: Transfer }) {
  if (need === 'continue' || need === 'repair') {
    return (
      <Button size="small" className="mt-1.5" onClick={() => void continueTransfer(id)}>
        {need === 'repair' ? messages.transfers.repair(name) : messages.transfers.continue(name)}
      </Button>
    )
  }
  return (
    <ChooseButton
      label={messages.transfers.chooseAgain(name)}
      kind={need === 'folder' ? 'folder' : 'file'}
      name={name}
      className="mt-1.5"
      onChoose={(files) => void continueTransfer(id, files)}
    />
  )
}

function StageIcon({ transfer: { stage, kind, isEncrypted } }: { transfer: Transfer }) {
  const common = { 'aria-hidden': true, size: 18, className: 'mt-0.5 shrink-0 text-ink-faint' } as const
  if (stage === 'done') return <CircleCheck {...common} className="mt-0.5 shrink-0 text-good" />
  if (stage === 'failed') return <CircleAlert {...common} className="mt-0.5 shrink-0 text-bad" />
  if (stage === 'cancelled') return <CircleSlash {...common} />
  if (stage === 'paused') return <CirclePause {...common} className="mt-0.5 shrink-0 text-warn" />
  if (kind === 'change') return <KeyRound {...common} />
  if (kind === 'download') return <Download {...common} />
  return isEncrypted ? <Lock {...common} /> : <File {...common} />
}

const dotClasses: Record<NodeState, string> = {
  waiting: 'border-line-strong bg-transparent',
  running: 'animate-pulse border-accent bg-accent-soft',
  done: 'border-good bg-good forced-colors:bg-[CanvasText]',
  failed: 'border-bad bg-bad',
}

/** Five dots for five nodes; the text next to them says the same. */
function NodeDots({ nodes }: { nodes: readonly NodeState[] }) {
  const done = nodes.filter((state) => state === 'done').length
  return (
    <p className="my-1 flex items-center gap-1.5 text-ink-soft text-sm">
      {nodes.map((state, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a node is its number.
        <span key={i} aria-hidden="true" className={classNames('size-2.5 rounded-full border', dotClasses[state])} />
      ))}
      <span className="ml-1 tabular">{messages.transfers.nodes(done, nodes.length)}</span>
    </p>
  )
}
