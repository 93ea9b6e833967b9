import type { Context } from '../context.ts'

/** Where the time is what is wrong, the clocks of both sides are the first thing to look at. */
export function sayTime({ clock, config }: Pick<Context, 'clock' | 'config'>): { hint: string } {
  const time = new Date(clock.now()).toISOString()
  return {
    hint: `Key node ${config.node} has the time ${time}: compare it with this machine’s clock, ask for a new message and sign it.`,
  }
}
