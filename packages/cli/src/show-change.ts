import type { ChangeResult } from '@cairn/sdk'
import type { Output } from './output.ts'

/** Tells what became of a change on the five nodes. */
export function showChange(
  output: Output,
  what: Record<string, unknown>,
  sentence: string,
  change: ChangeResult,
): void {
  const pending = change.pending.map(({ node, error }) => ({ node, code: error.code }))
  output.result(
    { ...what, done: change.done, pending, isEffective: change.isEffective },
    `${sentence} ${dots(change.done)}`,
  )
  if (pending.length > 0)
    output.note(
      `Nodes ${pending.map(({ node }) => node).join(', ')} have it not yet: run the same again, or keys repair.`,
    )
}

/** Five dots for five nodes, full where it is done. */
export function dots(done: readonly number[]): string {
  return [1, 2, 3, 4, 5].map((node) => (done.includes(node) ? '●' : '○')).join('')
}
