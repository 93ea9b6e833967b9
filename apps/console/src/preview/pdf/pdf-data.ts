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
 * Returns the path of this data in a build. It contains the version, so that the same path always has the same bytes.
 * @param version of PDF.js
 */
export function pdfDataPath(version: string): string {
  return `assets/pdfjs-${version}`
}
