import { openDecrypted, openFile } from '@cairn/sdk'
import type { Command } from '../command.ts'
import { type Content, findEncryptedFile, openContent, readOptions, withWayOut } from '../read-content.ts'

async function openPlain({ client, cidPath }: Content, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  return (await openFile(client, cidPath, { signal })).stream
}

async function* decrypt(content: Content, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { client, cid, path, decryption } = content
  try {
    if (path === '') yield* await openDecrypted(client, cid, { ...decryption, signal })
    else {
      const { cidPath, masterKey } = await findEncryptedFile(content, signal)
      yield* await openDecrypted(client, cidPath, { masterKey, signal })
    }
  } catch (error) {
    throw withWayOut(error)
  }
}

export const cat: Command = {
  name: 'cat',
  summary: 'Verify a file, decrypt it if needed, and write it to standard output',
  usage: '<cid[/path]|name[/path]>',
  arity: [1, 1],
  options: readOptions,
  endsWithOutput: true,
  examples: ['cairn cat bafy…/readme.md | less', 'cairn cat site/readme.md'],
  async run(context) {
    const { args, output, signal } = context
    const content = await openContent(context, args[0] ?? '')
    const pieces = content.decryption === undefined ? await openPlain(content, signal) : decrypt(content, signal)
    for await (const piece of pieces) await output.write(piece)
  },
}
