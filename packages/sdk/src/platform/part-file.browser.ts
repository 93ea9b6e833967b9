import { noDisk } from '../local/no-disk.ts'

export async function openPart(_target: string, _overwrite: boolean): Promise<never> {
  return noDisk()
}

export async function writeSmall(_target: string, _bytes: Uint8Array, _overwrite: boolean): Promise<never> {
  return noDisk()
}

export async function makeFolder(_target: string, _mayExist: boolean): Promise<never> {
  return noDisk()
}

export function joinPath(folder: string, name: string): string {
  return `${folder}/${name}`
}
