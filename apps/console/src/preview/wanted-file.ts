/** The file that the user wanted to open before sign-in, stored here because sign-in clears the page. */
let wanted: string | undefined

export function wantFile(cid: string | undefined): void {
  wanted = cid
}

export function isFileWanted(cid: string): boolean {
  return wanted === cid
}
