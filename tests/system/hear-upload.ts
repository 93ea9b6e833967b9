/**
 * Uploads a file to a service that may be killed or meet faults.
 * @returns the CID; or the status and code of a refusal; or nothing if the connection broke
 */
export async function hearUpload(
  service: { api: string },
  apiKey: string,
  bytes: Uint8Array,
): Promise<{ cid?: string; refusal?: string }> {
  const body = new FormData()
  body.append('file', new Blob([bytes as BlobPart]), 'x.bin')
  try {
    const response = await fetch(`${service.api}/api/v0/add?profile=unixfs-v1-2025`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body,
    })
    const answer = (await response.json()) as { Hash: string; code: string }
    return response.status === 200 ? { cid: answer.Hash } : { refusal: `${response.status} ${answer.code}` }
  } catch {
    // The process is gone, which the caller looks at.
    return {}
  }
}
