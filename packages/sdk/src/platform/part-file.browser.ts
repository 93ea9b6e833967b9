import { noDisk } from '../local/no-disk.ts'

export async function openPart(_target: string, _overwrite: boolean): Promise<never> {
  return noDisk()
}

export async function writeWhole(_target: string, _pieces: unknown, _overwrite: boolean): Promise<never> {
  return noDisk()
}

export async function writePart(_target: string, _pieces: unknown, _overwrite: boolean): Promise<never> {
  return noDisk()
}

export async function writeTogether(_files: readonly unknown[], _overwrite: boolean): Promise<never> {
  return noDisk()
}

export async function openComplete(_target: string): Promise<never> {
  return noDisk()
}
