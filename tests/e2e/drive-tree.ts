import { type Client, type Drive, uploadBytes } from '@cairn/sdk'

/** Uploads a text, by default the name. Returns its CID. */
export async function uploadNamed(client: Client, name: string, text = name): Promise<string> {
  return (await uploadBytes(client, new TextEncoder().encode(text), { name })).cid
}

/** Returns the paths of all items, sorted. */
export function listPaths(drive: Drive): string[] {
  return drive
    .all()
    .map(({ path }) => path)
    .sort()
}
