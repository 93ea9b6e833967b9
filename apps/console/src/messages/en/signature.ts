import { translatable } from '../translatable.ts'
import { plural } from './plural.ts'

/** Dialogs about an existing session. Loaded with these dialogs. */
export const signature = translatable('signature', {
  extendTitle: 'Extend your session',
  extendHint:
    'Sign the sign-in text once more to start a new session. Running uploads continue. This is not a transaction and costs nothing.',
  stillOpen: (nodes: readonly number[], until: string) =>
    `A session you ended is still open at key ${plural(nodes.length, { one: 'node', other: 'nodes' })} ${new Intl.ListFormat('en').format(nodes.map(String))}, which did not answer. It expires by ${until}.`,
  endThere: 'End it there',
  lost: (nodes: readonly number[]) =>
    `Key ${plural(nodes.length, { one: 'node', other: 'nodes' })} ${new Intl.ListFormat('en').format(nodes.map(String))} no longer ${plural(nodes.length, { one: 'knows', other: 'know' })} your session. Sign in again to reach all five key nodes.`,
  notNow: 'Not now',
  againTitle: 'Reach all five key nodes',
  againHint:
    'Sign once to open the session again at the key nodes that lack it. Nothing else changes. This is not a transaction and costs nothing.',
  keysTitle: 'One more signature',
  keysHint:
    'Five independent key nodes protect encrypted files. Too few of them know this session: they did not answer when you signed in, or the session has expired there. Sign once to continue. This is not a transaction and costs nothing.',
  keysGo: 'Sign',
  keysSigning: 'Waiting for your wallet',
})
