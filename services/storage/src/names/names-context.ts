import type { Context } from '../context.ts'

/** The part of the context that names use. */
export type NamesContext = Pick<Context, 'db' | 'clock' | 'log' | 'failures' | 'secret'> &
  Partial<Pick<Context, 'secondarySecret'>>
