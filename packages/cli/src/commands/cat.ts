import { openFile } from '@cairn/sdk'
import type { Command } from '../command.ts'

export const cat: Command = {
  name: 'cat',
  summary: 'Write a file to standard output, verified',
  usage: '<cid[/path]>',
  arity: [1, 1],
  examples: ['cairn cat bafy…/readme.md | less'],
  async run({ args, output, session, signal }) {
    const { stream } = await openFile(await session.anonymous(), args[0] ?? '', { signal })
    const reader = stream.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      await output.write(value)
    }
  },
}
