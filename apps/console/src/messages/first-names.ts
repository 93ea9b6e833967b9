import { markControls } from './mark-controls.ts'

const maxNames = 5

/** The first of many names or paths, for a sentence. */
export function firstNames(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map(markControls).join(', ')
  return names.length > maxNames ? `${shown}, …` : shown
}
