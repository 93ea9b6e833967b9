import { CairnError } from '@cairn/sdk'
import { type Command, flag } from '../command.ts'

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve tools to an AI client over standard input and output (Model Context Protocol)',
  usage: '',
  arity: [0, 0],
  endsWithOutput: true,
  options: {
    root: {
      type: 'string',
      multiple: true,
      about: 'folder that tools may read and write, repeatable (the current folder)',
      value: 'path',
    },
    'read-only': { type: 'boolean', about: 'offer only tools that change nothing' },
  },
  examples: ['cairn mcp --root ~/Documents', 'cairn mcp --read-only'],
  async run(context) {
    const { values, stdin } = context
    const usage = 'Register it as a command in your client: see docs/how-to/mcp.md.'
    if (stdin.isTTY)
      throw new CairnError('USAGE', { message: 'cairn mcp is started by a client, not in a terminal', hint: usage })
    if (flag(values, 'password-stdin'))
      throw new CairnError('USAGE', {
        message: 'cairn mcp cannot read a password from standard input',
        hint: 'Set CAIRN_PASSWORD_FILE to a file with the password.',
      })
    const roots = Array.isArray(values['root']) ? values['root'].filter((path) => typeof path === 'string') : ['.']
    // Only this command loads the protocol.
    const { serve } = await import('../mcp/serve.ts')
    await serve(context, { roots, isReadOnly: flag(values, 'read-only') })
  },
}
