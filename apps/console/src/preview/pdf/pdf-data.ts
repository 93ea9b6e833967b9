/**
 * Data files of PDF.js, by the name of its setting: character maps of East Asian fonts, fonts that PDFs need not contain, a
 * profile of CMYK colours, and decoders of scanned pages.
 */
export const pdfDataFolders = {
  cMapUrl: 'cmaps',
  iccUrl: 'iccs',
  standardFontDataUrl: 'standard_fonts',
  wasmUrl: 'wasm',
} as const

/**
 * Returns where a build has this data. The version makes each address name the same bytes always.
 * @param version of PDF.js
 */
export function pdfDataPath(version: string): string {
  return `assets/pdfjs-${version}`
}
