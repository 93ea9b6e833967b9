import { markControls } from '../words/mark-controls.ts'

/** A name that somebody else may have chosen: it turns neither itself nor the words beside it around. */
export function FileName({ name }: { name: string }) {
  return <bdi>{markControls(name)}</bdi>
}
