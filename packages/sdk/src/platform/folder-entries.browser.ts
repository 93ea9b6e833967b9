import { noDisk } from '../local/no-disk.ts'

export async function makeFolder(_target: string, _mayExist: boolean): Promise<never> {
  return noDisk()
}

export async function makeFolderInside(_path: string, _mayExist: boolean): Promise<never> {
  return noDisk()
}

export async function clearUnfinished(_folder: string, _isContent: unknown): Promise<never> {
  return noDisk()
}

export async function openNameProbe(_folder: string): Promise<never> {
  return noDisk()
}

export async function makeLink(_path: string, _target: string, _overwrite: boolean): Promise<never> {
  return noDisk()
}

export function joinPath(folder: string, name: string): string {
  return `${folder}/${name}`
}

export function isSafeName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[\0/]/.test(name)
}
