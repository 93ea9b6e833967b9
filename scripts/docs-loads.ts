/** Finds what a page or a style sheet loads from other hosts: scripts, styles, pictures, fonts, frames. Links are no loads. */
export function findOutsideLoads(text: string): string[] {
  const loads =
    /<(?:script|img|link|iframe|source|video|audio|object|embed)\b[^>]*?\s(?:src|href|data)="((?:https?:)?\/\/[^"]*)"/g
  const styles = /(?:url\(|@import\s+)["']?((?:https?:)?\/\/[^"')\s]+)/g
  return [loads, styles].flatMap((pattern) => [...text.matchAll(pattern)].map(([, url = '']) => url))
}
