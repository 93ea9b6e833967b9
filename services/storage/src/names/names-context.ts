import type { Context } from '../context.ts'

/** What names are worked with. */
export type NamesContext = Pick<Context, 'db' | 'clock' | 'log' | 'failures' | 'secret'> &
  Partial<Pick<Context, 'secondarySecret'>>
