/** Heading levels so far, so that none is skipped, whatever the file contains. */
export type Levels = { last: number }

const classes = ['', '', 'text-xl', 'text-lg', 'text-base', 'text-sm', 'text-sm']

/** Returns the element and the style of the next heading of a file. The page itself has level 1. */
export function nextHeading(levels: Levels, level: number): { element: string; className: string } {
  levels.last = Math.min(level + 1, levels.last + 1, 6)
  return { element: `h${levels.last}`, className: `mt-2 break-words font-semibold ${classes[levels.last] ?? ''}` }
}
