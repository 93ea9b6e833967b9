import { Banner } from '../ui/Banner.tsx'
import { Button } from '../ui/Button.tsx'
import { formatDateTime } from '../words/format.ts'
import { words } from '../words/words.ts'
import { endOf } from './closing-sessions.ts'
import { useEndClosing } from './use-end-closing.ts'

/** Says where a session is still open that was ended, until when, and lets the user try again. */
export function ClosingNotice() {
  const { closing, isEnding, end } = useEndClosing()
  if (closing.length === 0) return undefined
  const nodes = new Set(closing.flatMap((one) => one.nodes.flatMap((node) => (node === null ? [] : [node.node]))))
  return (
    <Banner
      tone="warn"
      action={
        <Button size="small" isBusy={isEnding} onClick={() => void end()}>
          {words.signature.endThere}
        </Button>
      }
    >
      {words.signature.stillOpen([...nodes].sort(), formatDateTime(Math.max(...closing.map(endOf))))}
    </Banner>
  )
}
