import { dirname, resolve } from 'node:path'

/** Sources that may start a program of a bundle. */
export const programSource = /\/(?:services|packages|apps)\/[^/]+\/src\/.*\.ts$/

/**
 * Returns a source with the files of programs replaced by their files in the bundle; undefined if it refers to none.
 * @param names of the programs by their source
 * @throws Error for a program that is not in the bundle
 */
export function nameProgramsIn(code: string, path: string, names: ReadonlyMap<string, string>): string | undefined {
  if (!programUrl.test(code)) return undefined
  return code.replaceAll(new RegExp(programUrl, 'g'), (_all, file: string) => {
    const name = names.get(resolve(dirname(path), file))
    if (name === undefined) throw new Error(`${path} starts ${file}, which is not a program of the bundle`)
    return `new URL('./${name}.js', import.meta.url)`
  })
}

const programUrl = /new URL\(\s*['"](\.{1,2}\/[^'"]+\.ts)['"], import\.meta\.url,?\s*\)/
