import { getDataUsage } from '@cairn/protocol'
import { measure, mimeTypeOf, openPath } from '#platform/local-files'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Bytes that the upload of a path needs, and bytes that are available. */
export type Quote = {
  metaData: { fileSize: number; mimeType: string | false; fileName: string }[]
  totalSize: number
  dataLimit: number
  dataUsed: number
}

/**
 * Measures a file or folder on disk against the account (Node). The only request reads the usage of the account.
 * @throws CairnError FILE_UNREADABLE
 */
export async function getQuote(client: Client, path: string, options?: CallOptions): Promise<Quote> {
  const found = await openPath(path)
  const metaData: Quote['metaData'] = []
  const files = found.kind === 'file' ? [found.file] : found.files()
  for await (const file of files) {
    const fileName = file.name.split('/').at(-1) ?? file.name
    metaData.push({ fileSize: file.sizeBytes ?? (await measure(file)), mimeType: mimeTypeOf(fileName), fileName })
  }
  const { dataLimit, dataUsed } = await call(client, getDataUsage, {}, options)
  return { metaData, totalSize: metaData.reduce((sum, file) => sum + file.fileSize, 0), dataLimit, dataUsed }
}
