import type { RootOptions } from 'react-dom/client'
import { logFailure } from './log-failure.ts'

/** Options of React's root that log failures of components in words. */
export const reportFailures: Pick<RootOptions, 'onCaughtError' | 'onUncaughtError'> = {
  onCaughtError: (error, { componentStack }) => logFailure('A part of the page failed', error, componentStack),
  onUncaughtError: (error, { componentStack }) => logFailure('The page failed', error, componentStack),
}
