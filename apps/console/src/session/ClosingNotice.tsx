import { formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Banner } from '../ui/states/Banner.tsx'
import { endOf } from './closing-sessions.ts'
import { useEndClosing } from './use-end-closing.ts'

/** Shows where a closed session is still open, until when, and lets the user retry. */
export function ClosingNotice() {
  const { closing, isEnding, end } = useEndClosing()
  if (closing.length === 0) return undefined
  const nodes = new Set(closing.flatMap((one) => one.nodes.flatMap((node) => (node === null ? [] : [node.node]))))
  return (
    <Banner
      tone="warn"
      action={
        <Button size="small" isBusy={isEnding} onClick={() => void end()}>
          {messages.signature.endThere}
        </Button>
      }
    >
      {messages.signature.stillOpen([...nodes].sort(), formatDateTime(Math.max(...closing.map(endOf))))}
    </Banner>
  )
}
