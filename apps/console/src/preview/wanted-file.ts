/**
 * The file that its reader asked to open before signing in. Signing in clears what the page showed, so the wish is kept
 * here until it is granted.
 */
let wanted: string | undefined

export function wantFile(cid: string | undefined): void {
  wanted = cid
}

export function isFileWanted(cid: string): boolean {
  return wanted === cid
}
