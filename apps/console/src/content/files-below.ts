/** Returns the files of a list of paths that are below a folder, each with its path from there; all if the folder is ''. */
export function filesBelow<File extends { path: string }>(
  files: readonly File[],
  folder: string,
): { file: File; pathBelow: string }[] {
  const start = folder === '' ? '' : `${folder}/`
  return files
    .filter(({ path }) => path.startsWith(start))
    .map((file) => ({ file, pathBelow: file.path.slice(start.length) }))
}
