import { translatable } from '../translatable.ts'

/** Times that are less than a minute away. */
export const time = translatable('time', {
  justNow: 'just now',
  soon: 'in less than a minute',
})
