import type { KeyEvent } from '@cairn/sdk'
import {
  ArrowLeftRight,
  Eye,
  type IconComponent,
  KeyRound,
  ListChecks,
  TriangleAlert,
  UserMinus,
  UserPlus,
} from '#icons'
import { shorten } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { ActivityRow } from './ActivityRow.tsx'

const icons: Record<KeyEvent['kind'], IconComponent> = {
  opened: Eye,
  denied: TriangleAlert,
  save: KeyRound,
  share: UserPlus,
  revoke: UserMinus,
  transfer: ArrowLeftRight,
  conditions: ListChecks,
  retire: KeyRound,
  repair: KeyRound,
}

/** One event of the key nodes: who opened an encrypted file, or what the account changed. */
export function KeyEventRow({
  event,
  labelOf,
  isOfFile = false,
}: {
  event: KeyEvent
  /** Returns the name that the account gave an address. */
  labelOf: (address: string) => string | undefined
  /** Whether the list is about one file, which no row has to name. */
  isOfFile?: boolean
}) {
  const { kind, cid, address, addresses, count, at, nodes, isConfirmed } = event
  const nameOf = (one: string) => labelOf(one) ?? shorten(one)
  const [concerned] = addresses
  const others = addresses.length === 1 && concerned !== undefined ? nameOf(concerned) : addresses.length
  return (
    <ActivityRow icon={icons[kind]} at={at} cid={isOfFile ? undefined : cid}>
      <span title={kind === 'opened' || kind === 'denied' ? address : addresses.join('\n')}>
        {markControls(messages.activity.describeKey[kind]({ who: nameOf(address), others, count }))}
      </span>
      {isConfirmed ? undefined : <span className="text-ink-soft"> {messages.activity.unconfirmed(nodes.length)}</span>}
    </ActivityRow>
  )
}
