import { openFile } from '@cairn/sdk'
import type { Command } from '../command.ts'
import { findContent } from '../content-path.ts'

export const cat: Command = {
  name: 'cat',
  summary: 'Write a file to standard output, verified',
  usage: '<cid[/path]|name[/path]>',
  arity: [1, 1],
  examples: ['cairn cat bafy…/readme.md | less', 'cairn cat k51…/readme.md'],
  async run(surroundings) {
    const { args, output, session, signal } = surroundings
    const path = await findContent(surroundings, args[0] ?? '')
    const { stream } = await openFile(await session.anonymous(), path, { signal })
    const reader = stream.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      await output.write(value)
    }
  },
}
