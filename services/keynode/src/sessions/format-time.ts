import type { Context } from '../context.ts'

/** An error about the time shows this clock, because a wrong clock on either side is the likeliest cause. */
export function formatTime({ clock, config }: Pick<Context, 'clock' | 'config'>): {
  hint: string
  details: { time: number }
} {
  const time = clock.now()
  return {
    hint: `The clock of key node ${config.node} shows ${new Date(time).toISOString()}. Compare it with the clock of this machine, then request and sign a new message.`,
    details: { time },
  }
}
