import { noDisk } from '../local/no-disk.ts'

export async function saveContent(
  _client: unknown,
  _cidPath: string,
  _target: string,
  _options: unknown,
): Promise<never> {
  return noDisk()
}
