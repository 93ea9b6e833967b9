import type { Texts } from '../texts.ts'

/** Times that are less than a minute away. */
export const time: Texts['time'] = {
  justNow: 'gerade eben',
  soon: 'in weniger als einer Minute',
}
