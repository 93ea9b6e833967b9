/**
 * The file that the user wanted to open before sign-in. Signing in clears the page, so it is stored here until it
 * opens.
 */
let wanted: string | undefined

export function wantFile(cid: string | undefined): void {
  wanted = cid
}

export function isFileWanted(cid: string): boolean {
  return wanted === cid
}
