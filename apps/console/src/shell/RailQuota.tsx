import { Link } from '@tanstack/react-router'
import { useUsage } from '../billing/use-usage.ts'
import { messages } from '../messages/messages.ts'
import { ProgressBar } from '../ui/states/ProgressBar.tsx'

/** The remaining storage, always in view. */
export function RailQuota() {
  const { data } = useUsage()
  if (data === undefined) return undefined
  const { usedBytes, limitBytes } = data
  const share = limitBytes === 0 ? 1 : usedBytes / limitBytes
  return (
    <Link to="/billing" className="block rounded-md px-3 py-2 transition-colors hover:bg-hover">
      <ProgressBar
        label={messages.shell.quotaLabel}
        value={share}
        tone={share > 0.95 ? 'bad' : share > 0.8 ? 'warn' : 'accent'}
      />
      <span className="mt-1.5 block text-ink-soft text-xs tabular">{messages.shell.quota(usedBytes, limitBytes)}</span>
    </Link>
  )
}
