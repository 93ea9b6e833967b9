/** What is asked of the wallet, or told, about a session that there is already; loaded with the dialogs that say it. */
export const signature = {
  extendTitle: 'Extend your session',
  extendHint:
    'Sign the text of the sign-in once more, and the session begins anew. What is under way goes on. It is not a transaction and costs nothing.',
  stillOpen: (nodes: readonly number[], until: string) =>
    `A session that you ended is still open at key ${nodes.length === 1 ? 'node' : 'nodes'} ${new Intl.ListFormat('en').format(nodes.map(String))}, which did not answer. It ends by itself by ${until}.`,
  endThere: 'End it there',
  keysTitle: 'One more signature',
  keysHint:
    'Encrypted files are guarded by five independent key nodes. Too few of them know this session: they did not answer when you signed in, or it has ended there. Sign once to show them who you are; it is not a transaction and costs nothing.',
  keysGo: 'Sign',
  keysSigning: 'Waiting for your wallet',
}
