import { hash } from 'node:crypto'
import type { Promised } from '../faults/random-uploads.ts'

/**
 * Uploads a file to a service that may be killed or meet faults, and adds what the service acknowledges to `promised`.
 * @returns `stored`; or the status and code of a refusal; or `nothing` if the connection broke
 */
export async function hearUpload(
  service: { api: string },
  apiKey: string,
  bytes: Uint8Array,
  promised: Promised[],
): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([bytes as BlobPart]), 'x.bin')
  try {
    const response = await fetch(`${service.api}/api/v0/add?profile=unixfs-v1-2025`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body,
    })
    const answer = (await response.json()) as { Hash: string; code: string }
    if (response.status !== 200) return `${response.status} ${answer.code}`
    promised.push({ path: answer.Hash, digest: hash('sha256', bytes) })
    return 'stored'
  } catch {
    // The process has exited, which the caller checks.
    return 'nothing'
  }
}
